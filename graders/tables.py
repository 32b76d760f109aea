"""Read a TOML file strictly: what is wrong with it is one sentence, with the nearest valid key.

    text -> tomllib -> pydantic model -> the model
                 |           |
                 v           v
              UsageError: "assignment.toml: limits: there is no key `wall_secs`; did you mean ...?"

pydantic's own words are for programmers; no author of an assignment sees them.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from graders.errors import UsageError, did_you_mean

Table = TypeVar("Table", bound=BaseModel)
KINDS = {
    "int": "a whole number",
    "float": "a number",
    "string": "a string in quotes",
    "bool": "true or false",
    "list": "a list in brackets",
    "tuple": "a list in brackets",
    "dict": "a table",
    "model": "a table",
}
LIMITS = {
    "greater_than_equal": "it must be at least {ge:g}",
    "greater_than": "it must be more than {gt:g}",
    "less_than_equal": "it must be at most {le:g}",
    "less_than": "it must be less than {lt:g}",
    "too_short": "it needs at least {min_length}",
    "finite_number": "it must be finite",
}


def read_table(file: Path, kind: type[Table], hint: str) -> Table:
    """Read a whole file; raises UsageError with this hint if it is not such a table."""
    return parse_table(read_text(file), kind, str(file), hint)


def read_text(file: Path) -> str:
    """Read the text of a TOML file; raises UsageError if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {error}", "it must be a TOML file in UTF-8") from error


def parse_table(text: str, kind: type[Table], file: str, hint: str) -> Table:
    """Read the text of a file; raises UsageError as `read_table` does."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file}: {error}", "it must be a TOML file in UTF-8") from error
    return check_table(content, kind, file, hint)


def check_table(content: Mapping[str, Any], kind: type[Table], file: str, hint: str) -> Table:
    """Check a table that was read; raises UsageError as `read_table` does."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        # A mistyped key is also a missing one, and the mistyped one is what the author sees.
        found = sorted(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")[0]
        path = _written(content, found)
        place = _place(content, path if found["type"] == "value_error" else path[:-1])
        said = _sentence(found, path, kind)
        raise UsageError(f"{file}: {place}{said}", hint) from error


def first_problem(error: ValidationError) -> str:
    """Describe the first error in a file that a program wrote: its place, and what is wrong."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}"


def _sentence(error: ErrorDetails, path: Sequence[str | int], kind: type[BaseModel]) -> str:
    """Say what is wrong with the key at a path, given pydantic's error."""
    *above, key = path or ("",)
    if error["type"] == "extra_forbidden":
        known = _schema(kind, above).get("properties", {})
        if above and key in _schema(kind, ()).get("properties", {}):
            return f"the key `{key}` belongs above the first `[table]` of the file"
        return f"there is no key `{key}`{did_you_mean(str(key), known)}"
    if error["type"] == "missing":
        return f"the key `{key}` is missing"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    return f"`{key}` is {_shown(error['input'])}{_requirement(error, _schema(kind, path))}"


def _requirement(error: ErrorDetails, schema: Mapping[str, Any]) -> str:
    """Return the end of a sentence about a value: what it must be."""
    name, kind = error["type"], error["type"].split("_")[0]
    if name == "literal_error":
        return did_you_mean(str(error["input"]), schema.get("enum", ()))
    words = schema.get("description") if kind != "model" else None
    if name in LIMITS:
        return "; " + LIMITS[name].format(**error["ctx"]) + (f": {words}" if words else "")
    return f"; it must be {words or KINDS.get(kind, 'something else')}"


def _schema(kind: type[BaseModel], path: Sequence[str | int]) -> Mapping[str, Any]:
    """Return the part of a model's JSON schema that describes what is at this path."""
    whole = kind.model_json_schema()
    node = _resolved(whole, whole)
    for part in path:
        inner = node.get("properties", {}).get(part) or node.get("additionalProperties")
        inner = node.get("items") if isinstance(part, int) else inner
        node = _resolved(inner if isinstance(inner, dict) else {}, whole)
    return node


def _resolved(node: Mapping[str, Any], whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a reference, or the first of several possibilities, stands for."""
    while ("$ref" in node or "anyOf" in node) and "description" not in node:
        first = node["anyOf"][0] if "anyOf" in node else None
        node = first or whole["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _written(content: Any, error: ErrorDetails) -> Sequence[str | int]:
    """Return the path of an error without the members of a union, which pydantic adds."""
    path = error["loc"]
    for length, part in enumerate(path):
        try:
            content = content[part]
        except (KeyError, TypeError):
            return path if error["type"] == "missing" else path[:length]
    return path


def _place(content: Any, path: Sequence[str | int]) -> str:
    """Name a place in a file by ids and names: "criterion `rows`: "; nothing at the top."""
    words: list[str] = []
    for part in path:
        content = content[part]
        if isinstance(part, int):
            words[-1] += f" {_name(content) or part + 1}"
        else:
            words.append(part)
    return ", ".join(words) + ": " if words else ""


def _name(content: Any) -> str:
    """Return the id or name of a table, quoted; "" if it has none."""
    named = content if isinstance(content, Mapping) else {}
    name = named.get("id") or named.get("name")
    return f"`{name}`" if name else ""


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:80]
