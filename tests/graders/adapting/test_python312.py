"""The syntax of Python 3.12, written so that earlier versions read it."""

import ast
import inspect

import pytest

from graders.adapting.reading import python312
from graders.adapting.reading.python312 import for_earlier_versions

VALUES = {"d": {"a": 1, "b": {"c": [3]}}, "x": 3.14159, "xs": ["p", "q"], "w": 8}
STRINGS = {
    r"""f"{d["a"]}" """: "1",
    r"""f"it's {d["a"]} \"q\" {d['a']}" """: 'it\'s 1 "q" 1',
    r"""f"{"\n".join(xs)}" """: "p\nq",
    r"""f'{'\t'.join(xs)}\n' """: "p\tq\n",
    r"""f"{b"\x01"[0]}" """: "1",
    r"""f"{f"{d["a"]}"}" """: "1",
    r"""f"{x:.{d["a"]}f}|{x!r:>{w}}|{x=}" """: "3.1| 3.14159|x=3.14159",
    r"""f"{{lit}} {d["b"]["c"][0] != 3}" """: "{lit} False",
    r"""rf"\d{d["a"]}" """: "\\d1",
    r"""f"{(lambda y: y)(d["a"])}" "tail" f"{x:.1f}" """: "1tail3.1",
    'f"{\n  d["a"]  # not }\n}"': "1",
    r"""f"{ {k: v for k, v in {"a": 1}.items()}["a"] }" """: "1",
    r"""'# no comment, f"{' + f"{d["a"]}" # f"{" """: '# no comment, f"{1',
    r"""f"\N{BULLET} {d["a"]}" """: "\u2022 1",
}


@pytest.mark.parametrize("text", STRINGS)
def test_value_and_lines_stay(text):
    rewritten = for_earlier_versions(text)
    assert eval(rewritten.strip(), dict(VALUES)) == STRINGS[text]
    assert rewritten.count("\n") == text.count("\n")


QUOTES = 'f"{\'\'\'a\'\'\' + """b"""}"'


@pytest.mark.parametrize(
    "text", ['f"{', 'x = "open\ny = 1', "f'''{a", 'f"{a!', QUOTES, 'f"{f"{x}\\n"}"']
)
def test_what_cannot_be_rewritten_stays(text):
    assert for_earlier_versions(text) == text


@pytest.mark.parametrize(
    "text",
    [
        'f"{' * 5000,
        'f"{x:' * 30_000,
        "\n" * 100_000 + "(",
        'f"{(' * 100 + "'''" + "a" * 100_000,
    ],
    ids=["nested", "formats", "lines", "levels"],
)
def test_no_text_takes_forever(text):
    assert for_earlier_versions(text) == text


def test_an_invalid_literal_costs_only_its_own_statement(take):
    text = "print(f\"{open('C:\\Users\\x')}\")\ndef f():\n    return 1\n"
    assert take({"a.py": text}, "f")["f"]() == 1


def test_code_of_any_version_keeps_its_meaning():
    text = inspect.getsource(python312)
    assert ast.dump(ast.parse(for_earlier_versions(text))) == ast.dump(ast.parse(text))


def test_type_parameters_are_left_out_and_aliases_assigned(take):
    text = (
        "type Pair[T] = tuple[int, int]\n\nclass Box[T: (list[int], str)]:\n    n = 1\n\n"
        "def f[T](x: T) -> Pair:\n    return x + Box.n, Pair\n"
    )
    assert take({"a.py": text}, "f")["f"](1)[0] == 2


def test_a_function_with_such_an_f_string_is_found(take):
    text = 'def f(row):\n    return f"{row["text"]}"\ndef broken(:\n'
    assert take({"a.py": text}, "f")["f"]({"text": "hello"}) == "hello"
