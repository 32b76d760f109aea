"""Find the code and the artifacts among an upload's files, and explain each choice."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase as fnmatch
from pathlib import PurePosixPath

from submissions.archives.archive import SUFFIXES
from submissions.escaping import first_few, listed, shown

# Folders of the course itself that contain other people's code under the expected names
FOREIGN = frozenset({"mingptdemo"})
BACKUP_WORDS = frozenset({
    "backup", "backups", "bak", "old", "copy", "copies", "orig", "original", "previous", "prev",
    "deprecated", "unused", "trash", "starter", "handout", "template", "tmp", "temp",
    "archive", "archived", "draft", "drafts",
})  # fmt: skip
# Suffixes of an answers file, and of one in another format: a person reads what is not text.
DOCUMENTS = ("txt", "markdown", "pdf", "docx", "doc", "odt", "rtf", "ipynb", "html", "tex")
WRITTEN = (".md", ".yaml", ".yml")
# Documents with such a word in their names are taken for the answers file: `hw6_written.pdf`.
TITLES = frozenset({
    "answer", "answers", "assignment", "homework", "hw", "report", "response", "responses",
    "solution", "solutions", "submission", "write", "writeup", "writing", "written",
})  # fmt: skip
TEXTS = (".md", ".markdown", ".txt", ".tex")
TITLED = (*TEXTS, ".html", ".ipynb", ".docx", ".odt", ".rtf", ".doc", ".pdf")  # by readability
NOTEBOOK_TITLES = frozenset({"answer", "answers", "response", "responses", "writeup", "written"})
NUMBERED = re.compile(r"\(\d+\)")  # what a browser adds to a repeated download: `(1)`
Rank = tuple[int, bool, bool, int, str]
REASONS = (
    "contains fewer of them",
    "named like a copy",
    "not named src",
    "is nested deeper",
    "sorts later",
)


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files found in an upload; all paths are relative to its top folder.

    `code` is None if no folder contains a wanted module; `files` lists every candidate for each
    artifact that was found, best first. The files of those in `joined` count together, as one.
    """

    code: PurePosixPath | None
    files: Mapping[str, tuple[PurePosixPath, ...]]
    notes: tuple[str, ...]
    joined: frozenset[str] = frozenset()


def find(
    files: Collection[PurePosixPath],
    code: Sequence[str],
    artifacts: Sequence[str],
    *,
    whole: bool = False,
) -> FoundFiles:
    """Return the folder with most of the `code` modules, and every artifact by its name.

    If a name contains a star, it is a pattern: any code file may match, so the whole upload is the
    code folder. It also is if `whole` is True; the student side then chooses the modules. Ties are
    broken in this order: a folder not named like a copy, one named src, the shallowest, the first
    in the alphabet. Artifacts are searched for next to the code folder, in it, then anywhere; an
    exact name wins over one that differs by case. If there is neither, the only file counts to
    whose name a browser or an editor added something; for an answers file, see `_documents`.
    """
    paths = sorted(path for path in files if not _is_foreign(path))
    if any("*" in name for name in code):
        chosen, notes = _whole_upload(paths, code)
    else:
        chosen, notes = _best_folder(paths, code)
    near = _near(chosen)
    if whole:  # the student side reads copies, too, and tells which file it uses
        notes = _code_notes(paths, {}, None, code) if chosen is None else []
        chosen = PurePosixPath() if any(path.suffix == ".py" for path in paths) else None
    matches = _find_artifacts(paths, artifacts, near)
    documents = _documents(paths, matches, artifacts, titled=bool(code))
    matches |= documents.files
    if not code and not matches:
        notes += _archive_notes(paths)
    misnamed = _misnamed_notes(paths, matches, artifacts)
    return FoundFiles(chosen, matches, (*notes, *misnamed), documents.joined)


def _find_artifacts(
    files: Sequence[PurePosixPath], artifacts: Sequence[str], near: tuple[PurePosixPath, ...]
) -> dict[str, tuple[PurePosixPath, ...]]:
    """Return the files of each artifact that was found, best first."""
    candidates = {name: _candidates(files, name, near) for name in artifacts}
    matches = {name: paths for name, paths in candidates.items() if paths}
    taken = {_stem(name) for name in matches}
    unmatched = [path for path in files if not is_named(path.name, artifacts)]
    renamed = {name: tuple(_renamed(unmatched, name)) for name in artifacts}
    matches |= {
        name: paths
        for name, paths in renamed.items()
        if _stem(name) not in taken and len(paths) == 1
    }
    return matches


def _best_folder(
    files: Collection[PurePosixPath], code: Sequence[str]
) -> tuple[PurePosixPath | None, list[str]]:
    """Return the folder with most of the wanted modules, and notes on the choice."""
    folders = _folders(files, code)
    chosen = min(folders, key=lambda folder: _rank(folder, folders[folder]), default=None)
    return chosen, [*_code_notes(files, folders, chosen, code), *_copy_notes(files, chosen, code)]


def _whole_upload(
    files: Collection[PurePosixPath], patterns: Sequence[str]
) -> tuple[PurePosixPath | None, list[str]]:
    """Return the upload's top folder if any file matches, and a note that lists the matches."""
    names = {str(path): path.name.casefold() for path in files}
    matching = [
        path for path in names if any(fnmatch(names[path], pattern) for pattern in patterns)
    ]
    if not matching:
        return None, [f"found no file {' or '.join(patterns)}", *_archive_notes(files)]
    return PurePosixPath(), [f"found {listed(matching)}"]


def is_copy_like(name: str) -> bool:
    """Return whether a name indicates a copy or an old version: `src copy`, `old`, `src (1)`."""
    words = re.split(r"[^a-z]+", name.casefold())
    return NUMBERED.search(name) is not None or not BACKUP_WORDS.isdisjoint(words)


def is_named(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a file's name matches one of these patterns, in any case."""
    return any(fnmatch(name.casefold(), pattern.casefold()) for pattern in patterns)


def place_name(place: PurePosixPath) -> str:
    """Return the folder as a note shows it."""
    return "the top folder" if not place.parts else shown(str(place))


def _is_foreign(path: PurePosixPath) -> bool:
    return any(
        part.startswith(".") or re.sub(r"[^a-z]", "", part.casefold()) in FOREIGN
        for part in path.parts[:-1]
    )


def _folders(
    files: Iterable[PurePosixPath], code: Sequence[str]
) -> dict[PurePosixPath, tuple[str, ...]]:
    """Return each folder that contains wanted modules, with the names of those modules."""
    holds = defaultdict(set)
    for path in files:
        if path.name in code:
            holds[path.parent].add(path.name)
    return {folder: tuple(n for n in code if n in names) for folder, names in holds.items()}


def _rank(folder: PurePosixPath, holds: Sequence[str]) -> Rank:
    return (
        -len(holds),
        any(map(is_copy_like, folder.parts)),
        folder.name != "src",
        len(folder.parts),
        str(folder),
    )


def _archive_notes(files: Iterable[PurePosixPath]) -> list[str]:
    archives = [str(path) for path in files if path.name.casefold().endswith(SUFFIXES)]
    return [f"Did not open {listed(archives)}: upload such an archive itself"] if archives else []


def _notebook_notes(files: Iterable[PurePosixPath], code: Sequence[str]) -> list[str]:
    books = [str(path) for path in files if path.name.casefold().endswith(".ipynb")]
    return [f"Did not read {listed(books)}: save its code as {' and '.join(code)}"] if books else []


def _code_notes(
    files: Iterable[PurePosixPath],
    folders: Mapping[PurePosixPath, tuple[str, ...]],
    chosen: PurePosixPath | None,
    code: Sequence[str],
) -> list[str]:
    if chosen is None:
        if not code:
            return []
        none = f"Found no folder with {' or '.join(code)}"
        return [none, *_archive_notes(files), *_notebook_notes(files, code)]
    taken = f"Using {place_name(chosen)} (contains {', '.join(folders[chosen])})"
    ignored = sorted(set(folders) - {chosen}, key=lambda folder: _rank(folder, folders[folder]))
    best = _rank(chosen, folders[chosen])
    left = [f"{place_name(o)} ({_reason(best, _rank(o, folders[o]))})" for o in ignored]
    notes = [f"{taken}; ignored {first_few(left)}" if left else taken]
    for name in code:
        where = next((folder for folder in ignored if name in folders[folder]), None)
        if name not in folders[chosen] and where is not None:
            notes.append(
                f"{name} is not in {place_name(chosen)} but in {place_name(where)}, "
                "which was ignored: keep your modules in one folder"
            )
    return notes


def _reason(best: Rank, other: Rank) -> str:
    return next(why for why, a, b in zip(REASONS, best, other, strict=True) if a != b)


def _copy_notes(
    files: Iterable[PurePosixPath], chosen: PurePosixPath | None, code: Sequence[str]
) -> list[str]:
    """Return a note on files such as `dataset (1).py`, which no import ever reads."""
    copies = [
        str(path)
        for path in files
        if chosen in (None, path.parent) and any(_is_stray(path.name, name) for name in code)
    ]
    return [f"ignored {listed(copies)} (only the exact names are imported)"] if copies else []


def _is_stray(name: str, expected: str) -> bool:
    stem, dot, suffix = expected.rpartition(".")
    plain = name.casefold()
    if name == expected or stem.casefold() not in plain or dot + suffix not in plain:
        return False
    return plain == expected.casefold() or is_copy_like(plain.replace(stem.casefold(), " "))


def _misnamed_notes(
    files: Iterable[PurePosixPath], names: Collection[str], artifacts: Iterable[str]
) -> list[str]:
    """Return notes on files like `answers (1).md` and `answers.docx` if no `answers.*` exists."""
    stems = {_stem(name) for name in names}
    missing = [name for name in artifacts if _stem(name) not in stems]
    named: dict[str, str] = {}
    for path in files:
        for name in missing:
            alike = _is_stray(path.name, name) or _adds_words(path, name)
            alike = alike or (_is_titled(path, name) and not is_named(path.name, names))
            if alike or _stem(path.name) in (_stem(name), name.casefold()):
                named.setdefault(str(path), name)
    return [f"Ignored {shown(path)}; rename it to {name}" for path, name in [*named.items()][:5]]


def _stem(name: str) -> str:
    return PurePosixPath(name).stem.casefold()


def _near(code: PurePosixPath | None) -> tuple[PurePosixPath, ...]:
    return () if code is None else (code.parent, code)


def _renamed(files: Iterable[PurePosixPath], name: str) -> Iterator[PurePosixPath]:
    """Yield the files like `answers (1).md`, `my_answers.md`, `answers.txt` and `answers.pdf`.

    Separators may differ, as in `test_predictions.txt` for `test.predictions`.
    """
    plain = name.casefold()
    suffixes = DOCUMENTS if plain.endswith(".md") else ()
    texts = {f"{plain}.txt", *(f"{_stem(name)}.{suffix}" for suffix in suffixes)}
    alike_names = set(map(_words, (plain, *texts)))
    for path in files:
        alike = _words(NUMBERED.sub("", path.name)) in alike_names
        if alike or (_adds_words(path, name) and not is_copy_like(path.stem)):
            yield path


def _words(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\s._-]+", name.casefold()))


def _adds_words(path: PurePosixPath, name: str) -> bool:
    """Return whether an answers file's name has additional words or no s: `hw4_answer.md`."""
    stem, suffix = _stem(name), PurePosixPath(name).suffix
    words = re.split(r"[^a-z]+", path.stem.casefold())
    matches = stem in words or stem.removesuffix("s") in words
    return matches and path.suffix.casefold() == suffix and suffix in WRITTEN


def _is_titled(path: PurePosixPath, name: str) -> bool:
    """Return whether a document may be an answers file under another name: `hw6_written.pdf`."""
    words = re.split(r"[^a-z]+", path.stem.casefold())
    suffix = path.suffix.casefold()
    titles = NOTEBOOK_TITLES if suffix == ".ipynb" else TITLES
    document = name.casefold().endswith(".md") and suffix in TITLED
    return document and not titles.isdisjoint(words) and not is_copy_like(path.stem)


def _documents(
    files: Sequence[PurePosixPath],
    matches: Collection[str],
    artifacts: Sequence[str],
    *,
    titled: bool,
) -> FoundFiles:
    """Find the answers in documents with a title, such as `written.pdf`, if no file is named so.

    Unless they must be `titled`, all documents count if none is. Of one in several formats, the
    most readable one counts; several documents count together.
    """
    answers = next((name for name in artifacts if name.casefold().endswith(".md")), "")
    unmatched = [path for path in files if not is_named(path.name, artifacts)]
    documents = _titled(unmatched, answers) or ([] if titled else _untitled(unmatched))
    if not answers or not documents or _stem(answers) in map(_stem, matches):
        return FoundFiles(None, {}, ())
    best = _most_readable(documents)
    if len(best) > 1:
        return FoundFiles(None, {answers: best}, (), frozenset({answers}))
    suffix = best[0].suffix.casefold()
    named = next((name for name in artifacts if name.endswith(suffix)), answers)
    name = answers if suffix in TITLED else named
    return FoundFiles(None, {name: (*best, *sorted({*documents}.difference(best)))}, ())


def _titled(files: Iterable[PurePosixPath], answers: str) -> list[PurePosixPath]:
    """Return the documents that may be the answers file by their names."""
    found = {*_renamed(files, answers), *(path for path in files if _is_titled(path, answers))}
    return sorted(found)


def _untitled(files: Iterable[PurePosixPath]) -> list[PurePosixPath]:
    """Return all documents; a README only if there is no other."""
    documents = [path for path in files if path.suffix.casefold() in (*TITLED, *WRITTEN)]
    documents = [path for path in documents if path.stem.casefold() != "readme"] or documents
    return [path for path in documents if not is_copy_like(path.stem)]


def _most_readable(documents: Sequence[PurePosixPath]) -> tuple[PurePosixPath, ...]:
    """Return the documents, each in its most readable format; files that aren't text come first.

    An HTML file beside a text may be an export of anything.
    """
    if any(path.suffix.casefold() in TEXTS for path in documents):
        documents = [path for path in documents if path.suffix.casefold() != ".html"]
    best: dict[PurePosixPath, PurePosixPath] = {}
    for path in sorted(sorted(documents), key=_readability):
        best.setdefault(path.with_suffix(""), path)
    return tuple(sorted(sorted(best.values()), key=_readability, reverse=True))


def _readability(path: PurePosixPath) -> int:
    suffix = path.suffix.casefold()
    return TITLED.index(suffix) if suffix in TITLED else len(TITLED)


def _candidates(
    files: Iterable[PurePosixPath], name: str, near: tuple[PurePosixPath, ...]
) -> tuple[PurePosixPath, ...]:
    def rank(path: PurePosixPath) -> tuple[bool, int, bool, int, str]:
        place = near.index(path.parent) if path.parent in near else len(near)
        copy = any(map(is_copy_like, path.parts[:-1]))
        return (path.name != name, place, copy, len(path.parts), str(path))

    same = (path for path in files if path.name.casefold() == name.casefold())
    return tuple(sorted(same, key=rank))
