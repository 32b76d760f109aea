"""Numbers, vectors, matrices and shapes are read in every notation, and compared by value."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.written.question import Misfit, Unreadable

KEY = [3, 2, -4]
PERCENT = {"key": 94.83, "percent": True, "tolerance": 1e-6}
VECTORS = [
    "3\n2\n-4", "torch.tensor([3, 2, -4], dtype=torch.float64)", "np.array([3,2,-4])",
    "array([[ 3.],\n       [ 2.],\n       [-4.]])",
    "tensor([3., 2., -4.], device='cuda:0', grad_fn=<AddBackward0>)",
    r"\begin{pmatrix}3\\2\\-4\end{pmatrix}", r"\begin{bmatrix} 3 & 2 & -4 \end{bmatrix}^T",
    r"\left(\begin{array}{c}3\\2\\-4\end{array}\right)", "- 3\n- 2\n- -4", "⟨3,2,−4⟩",
    "100*[.03, .02, -.04]", r"\frac{1}{2} (6, 4, -8)", "[6,4,-8]/2", "c = (3, 2, -4)^T",
    "$[3, 2, -4]^\\top$", "3,0; 2,0; -4,0", "[6/2, sqrt(4), -2^2]", "`[3,2,-4]`",
    "3, 2 and -4", "(3, 2, -4) ∈ R^3", "[3, 2, - 4]",
    "The output is [3, 2, -4].", "输出是 [3, 2, -4]。", "[3，2，-4]", "v_1 = (3, 2, -4)",
    "Die Ausgabe ist (3, 2, -4).", r"So we get \begin{pmatrix}3\\2\\-4\end{pmatrix} here.",
]  # fmt: skip
MATRICES = [
    "[1 2; 3 4]", "tensor([[1., 2.],\n        [3., 4.]])", "- [1,2]\n- [3,4]",
    r"\begin{bmatrix}1&2\\3&4\end{bmatrix}", "[[2,4],[6,8]]/2", "| 1 | 2 |\n| 3 | 4 |",
]  # fmt: skip
NUMBERS = [
    "6,920", "6.92e3", "n = 6920", "$6920$", "6920 examples", "13840/2", "about: 6920",
    r"\frac{13840}{2}", "≈ 6920", "**6920**", "13840/2 = 6920", "n = 2 * 3460 = 6920",
    "6,920 = 6920",
    "6.920",
    "6 920",
    "6'920",
    "~6920",
    "about 6920 texts",
    "6920 Sätze",
]  # fmt: skip
MISTAKES = [
    ("formula", "[3, -2, 4]", "it picked k_2", 0.0),
    ("formula", "[3, 2, 4]", "it picked k_3", 0.0),
    ("formula", "0", "this is a weight or an index", 0.0),
]


RIGHT = [
    *(("vector", {"key": KEY}, vector) for vector in VECTORS),
    *(("matrix", {"key": [[1, 2], [3, 4]]}, matrix) for matrix in MATRICES),
    *(("number", {"key": 6920}, number) for number in NUMBERS),
    *(("number", PERCENT, text) for text in ["94.83", "94.83%", "94,83 %", "0.9483", r"94.83\%"]),
    *(("number", PERCENT, text) for text in ["0.9483 = 94.83 %", "1727/1821 ≈ 94.83 %"]),
]


@pytest.mark.parametrize(("verify", "asked", "answer"), RIGHT)
def test_a_value_is_read_however_it_is_typed(judge, verify, asked, answer):
    assert judge(verify, answer, **asked).fraction == 1


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ("[3,-2,4]", "it picked k_2"), ("[3, 2, 4]", "it picked k_3"), ("[3, 2, 0]", ""),
        ("0", "this is a weight or an index"), ("[3, 2, 4.1]", ""), ("(2, 3, -4)", ""),
    ],
)  # fmt: skip
def test_a_wrong_vector_tells_which(judge, answer, hint):
    judgement = judge("vector", answer, key=KEY, mistakes=MISTAKES)
    assert (judgement.fraction, judgement.hint) == (0, hint)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("[3, 2, -4", "closed"), ("[1, 2, 3] is not it", "contradict"),
        ("(3, 2, -4) or (3, -2, 4)", "several"), ("S = 1,000,000", "may be one number"),
        ("[nan, 2, -4]", "finite"), ("[inf,2,-4]", "finite"), ("1e999, 2, 3", "too large"),
        ("[x, y, z]", "unknown"), ("", "No numbers|empty|early"), ("[[3,2],[-4]]", "rows"),
        ("3,2,-4)", "no opening"), ("the second", "words|known"),
        ("(3/2/-4)", "numbers"), ("[3]*3", "numbers"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_goes_to_a_person(judge, answer, said):
    with pytest.raises(Unreadable, match=said):
        judge("vector", answer, key=KEY)


def test_a_transposed_matrix_is_another(judge):
    assert judge("matrix", "[[1,3],[2,4]]", key=[[1, 2], [3, 4]]).fraction == 0


@pytest.mark.parametrize(
    ("answer", "value"),
    [("0,5", 0.5), ("1/2", 0.5), ("0,625", 0.625), ("1,5", 1.5), ("−3", -3), ("1e-2", 0.01)],
)
def test_a_decimal_comma_is_read_where_it_can_be_nothing_else(judge, answer, value):
    assert judge("number", answer, key=value).fraction == 1


@pytest.mark.parametrize(
    ("answer", "said"), [("[3, 2]", "2 numbers"), ("1,2,3,4,5,6", "6 numbers")]
)
def test_another_count_of_numbers_is_wrong(judge, answer, said):
    with pytest.raises(Misfit, match=said):
        judge("vector", answer, key=KEY)


@pytest.mark.parametrize(
    "answer",
    [
        "nan",
        "inf",
        "-∞",
        "1e13",
        "1e999",
        "two",
        "",
        "1, 2",
        "[1, 2]",
        "not 2 items",
        "2%",
        "2 million",
        "2/7",
        *(
            "67349 = 2",
            "1 = 2",
            "2 = 1 = 2",
            "7 ≈ 2",
            "train: 5 = 2",
            "5 items = 2 items",
            "200 = 2",
        ),
    ],
)
def test_what_is_no_number_goes_to_a_person(judge, answer):
    with pytest.raises(Unreadable):
        judge("number", answer, key=2)


FLOATS = st.lists(st.floats(-999, 999).map(lambda value: round(value, 3)), min_size=3, max_size=3)
OPEN = st.sampled_from([("[", "]"), ("(", ")"), ("", ""), ("np.array([", "])"), ("$[", "]^T$")])


@settings(max_examples=150)
@given(numbers=FLOATS, around=OPEN, sep=st.sampled_from([", ", ",", " ", "; ", "\n", " , "]))
def test_any_vector_is_read_as_its_numbers(judge, numbers, around, sep):
    text = around[0] + sep.join(map(str, numbers)) + around[1]
    assert judge("vector", text, key=numbers).fraction == 1


@settings(max_examples=100)
@given(numbers=FLOATS)
def test_what_numpy_prints_is_read(judge, numbers):
    for text in (repr(np.array(numbers)), str(np.array(numbers)), str(np.array(numbers)[:, None])):
        assert judge("vector", text, key=numbers, tolerance=1e-3).fraction == 1


SIZES = {
    "B": {"values": [64], "names": ["B", "batch size", "N"]},
    "L": {"at_most": 128, "names": ["L", "seq len", "T", "n"]},
}
PADDED = ("ids", "512", "Is every batch padded?", 0.0)


@pytest.fixture
def shape(judge):
    def judged(text, key=("B", "L")):
        rules = {"key": {"ids": list(key)}, "sizes": SIZES, "mistakes": [PADDED]}
        return judge("tensor_shape", {"ids": text}, **rules)

    return judged


@pytest.mark.parametrize(
    "text",
    [
        "torch.Size([64, 45])", "`torch.Tensor` of shape `(B, 45)`", "64×45", "[B=64, L=45]",
        "$B \\times L$", "(batch_size, seq_len)", "shape: (64, 45), token ids",
        "(N, n)", "(64, 45), not (45, 64)", "(B, L), that is (64, 45)",
        "(B, L), padded (to the longest)", "(B, L) with padding (right, left)",
        "(B, L), e.g. (1, 30)",
    ],
)  # fmt: skip
def test_notations_of_one_shape_are_right(shape, text):
    assert shape(text).fraction == 1.0


@pytest.mark.parametrize(
    ("text", "key", "share"),
    [
        *((text, "B", 1.0) for text in ("(64,)", "torch.Size([64])", "B", "(B,)", "64")),
        *((text, "BL", 0.0) for text in ("(45, 64)", "(L, B)", "(64, 45, 768)", "(64,)")),
        *((text, "BL", 0.0) for text in ("(64, D)", "(2, 45)", "(n, n)", "(N=64, N=45)")),
    ],
)
def test_every_axis_counts_in_its_place(shape, text, key, share):
    assert shape(text, key).fraction == share


@pytest.mark.parametrize(
    "text",
    [
        *("same", "(64, 45) or (45, 64)", "not (64, 45)", "as above", "(64, 64)", "(B=64, L=64)"),
        *("(B, L), perhaps (L, B)", "(B, L) resp. (L, B)", "(B, L). Or (L, B)?"),
    ],
)
def test_what_may_be_another_shape_goes_to_a_person(shape, text):
    with pytest.raises(Unreadable):
        shape(text)


def test_known_mistake_gets_its_hint(shape):
    assert shape("(64, 512)").hint == "Is every batch padded?"


@pytest.mark.parametrize(
    "text",
    ["", "(((", "()", "(" * 10**5, "1, " * 10**5, "\\x\0", "64 ? 45", "a" * 10**6],
    ids=lambda text: ascii(text[:8]),
)
def test_what_is_no_shape_is_refused(shape, text):
    with pytest.raises(Unreadable, match="brackets"):
        shape(text)
