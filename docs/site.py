"""What mkdocs asks before it renders a page: files of the repository's root, and links to them.

A page whose front matter says `source: FILE` shows this file of the root, which stays one file.
"""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SHOWN = {"../SECURITY.md": "security.md", "../CONTRIBUTING.md": "contributing.md"}
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The page's text, with the file that it stands for, and links that lead somewhere."""
    source = page.meta.get("source")
    if source is not None:
        markdown = _from_the_root((ROOT / source).read_text(encoding="utf-8"))
    up = "../" * page.file.src_uri.count("/")
    return LINK.sub(lambda link: _inside(link[1], link[2], up), markdown)


def _from_the_root(text: str) -> str:
    """The links of a file of the root as a page in docs/ would write them."""
    return LINK.sub(lambda link: f"[{link[1]}]({_moved(link[2])})", text)


def _moved(target: str) -> str:
    if "://" in target or target.startswith("#"):
        return target
    return target.removeprefix("docs/") if target.startswith("docs/") else f"../{target}"


def _inside(words: str, target: str, up: str) -> str:
    """A link within the site; of a file that is not part of it, its words and its path."""
    path, _, anchor = target.removeprefix(up).partition("#")
    if path in SHOWN:
        return f"[{words}]({up}{SHOWN[path]}{'#' + anchor if anchor else ''})"
    if path.startswith("../"):
        place = path.removeprefix("../")
        return f"`{place}`" if words in place else f"{words} (`{place}`)"
    return f"[{words}]({target})"
