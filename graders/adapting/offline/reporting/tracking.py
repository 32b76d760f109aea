"""Provide a stand-in for wandb that keeps a run's settings and reports nothing."""

from collections.abc import Iterable, Mapping
from typing import Any

from graders.adapting.offline.reporting.silent import Silent


class Settings(dict[str, Any]):
    """The settings of a run, by key or as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def update(self, *values: Any, **named: Any) -> None:
        """Add settings; wandb's option `allow_val_change` is ignored."""
        named.pop("allow_val_change", None)
        super().update(*values, **named)


CONFIG = Settings()


def init(*_values: Any, config: Any = None, **_named: Any) -> Silent:
    """Begin a run with settings from a dictionary, from pairs or from an object's attributes."""
    given = config if isinstance(config, Mapping | Iterable) else vars(config) if config else {}
    CONFIG.update(given)
    run = Silent()
    vars(run)["config"] = CONFIG
    return run


def login(*_values: Any, **_named: Any) -> bool:
    """Report success."""
    return True


PUBLIC = {"init": init, "config": CONFIG, "login": login}
