"""The file that answers a request: the main one, else the only one, else it is our fault."""

import ast

import pytest

from graders.boundary.side import Side, check_paths, packages_in
from graders.errors import GraderFault
from graders.registry.discovery import assignment_names, load_assignment

ASK = "def ask():\n    return 1\n"


@pytest.mark.parametrize(
    ("files", "home"),
    [
        ({"student_side": ASK}, "student_side"),
        ({"student_more": ASK}, "student_more"),
        ({"deep/student_more": ASK}, "deep.student_more"),
        ({"deep/student_side": ASK, "student_more": ASK}, "deep.student_side"),
        ({"student_side": "from .student_more import ask\n", "student_more": ASK}, "student_more"),
    ],
)
def test_a_function_is_found_where_it_is_defined(tmp_path, files, home):
    assert lay(tmp_path, files).module_of("ask") == home


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"student_side": "ask = 1\n"}, "no student file of .* defines a function `ask`"),
        ({"oracle": ASK}, "no student file"),
        ({"other/student_side": ASK}, "no student file"),
        (
            {"student_side": ASK, "deep/student_side": ASK},
            "student_side.py, deep/student_side.py all define a function `ask`",
        ),
        ({"student_a": ASK, "student_b": ASK}, "student_a.py, student_b.py all define"),
    ],
)
def test_a_function_without_one_home_is_our_fault(tmp_path, files, said):
    with pytest.raises(GraderFault, match=said):
        lay(tmp_path, files).module_of("ask")


def lay(folder, files):
    """These files, those in `deep` as a package."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(text)
    if (folder / "deep").is_dir():
        (folder / "deep" / "__init__.py").touch()
    return Side(folder)


@pytest.mark.parametrize("name", assignment_names())
def test_every_question_of_an_assignment_has_one_home(name):
    folder = load_assignment(name).folder
    files = {path for package in packages_in(folder) for path in package.glob("*.py")}
    sides = (Side(folder), Side(folder, "oracle"))
    assert files >= {*check_paths(folder)}
    for file in files.difference(*(side.files.values() for side in sides)):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                homes = [side.module_of(node.value) for side in sides if side.has(node.value)]
                assert len(homes) <= 1, node.value
