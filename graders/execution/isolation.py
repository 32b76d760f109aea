"""Choose the sandbox of a grading, and refuse to grade without one."""

from graders.boundary.tiers.sandbox import Tier, best_tier, tier_works
from graders.errors import UsageError

INSTALL = "install bubblewrap (`apt-get install bubblewrap`)"


def choose_tier(name: str, *, refuse_none: bool = True) -> Tier:
    """Return the tier of this name, or for `auto` the best one on this machine.

    Raises UsageError for an unknown name, for a tier that does not work here, and for `auto` if
    there is no isolation, unless `refuse_none` is False (a student checks their own code).
    """
    if name != "auto":
        return _named(name)
    tier = best_tier()
    if tier is Tier.NONE and refuse_none:
        raise UsageError(
            "this machine offers no isolation, and student code is not run without it",
            f"{INSTALL}, or pass `--isolation none` for code that you trust",
        )
    return tier


def _named(name: str) -> Tier:
    try:
        tier = Tier(name)
    except ValueError:
        known = ", ".join(f"`{each.value}`" for each in Tier)
        raise UsageError(
            f"there is no isolation `{name}`", f"choose from: `auto`, {known}"
        ) from None
    if not tier_works(tier):
        raise UsageError(f"`{name}` does not work on this machine", f"{INSTALL}, or use `auto`")
    return tier
