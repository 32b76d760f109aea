import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.written.audits.reading.figure import figure_in
from graders.written.audits.reading.texts import Cell
from graders.written.question import Unreadable
from graders.written.verifiers.reported.perplexities import cell_finding, truncated

TEXTS = ("train", "dev", "normal", "weird", "long")
PERPLEXITIES = (
    ("401.04", "380.80", "280.21", "12820.43", "428.35"),
    ("525.31", "485.56", "437.24", "10368.04", "505.39"),
    ("404.63", "383.59", "322.56", "13879.92", "419.71"),
    ("402.10", "382.20", "299.93", "14801.54", "425.183"),
    ("362.84", "345.57", "2178713.25", "2550125904.81", "341466.20"),
)
LOSSES = (
    ("5.73", "5.69", "5.63", "9.45", "6.05"),
    ("6.03", "5.96", "6.08", "9.24", "6.22"),
    ("5.74", "5.70", "5.77", "9.53", "6.03"),
    ("5.73", "5.69", "5.70", "9.60", "6.05"),
    ("5.63", "5.59", "14.59", "21.65", "12.74"),
)
CELLS = [
    (text, perplexity, loss)
    for perplexities, losses in zip(PERPLEXITIES, LOSSES, strict=True)
    for text, perplexity, loss in zip(TEXTS, perplexities, losses, strict=True)
]


def cell(text, perplexity, loss, micro=False):
    corpus = text in ("train", "dev")
    return Cell(text, figure_in(perplexity), figure_in(loss), corpus, micro)


def severity(*args, **kwargs):
    return cell_finding(cell(*args, **kwargs)).severity


def test_the_ten_fail_where_equality_was_declared():
    assert severity("train", "401.04", "5.73", micro=True) == "impossible"
    assert severity("train", "308.97", "5.73", micro=True) == "fine"


@pytest.mark.parametrize(
    ("text", "perplexity", "loss"),
    [
        ("normal", "280.21", "5.73"), ("normal", "284", "5.63"), ("normal", "275.00", "5.63"),
        ("train", "300", "5.73"), ("dev", "290.1", "5.69"), ("normal", "0.5", "-0.69"),
        ("normal", "5.63", "280.21"), ("train", "0", "5"), ("train", "5.73", "401.04"),
    ],
)  # fmt: skip
def test_wrong_pairs_are_impossible(text, perplexity, loss):
    assert severity(text, perplexity, loss) == "impossible"


def test_a_loss_in_bits_is_recognised():
    finding = cell_finding(cell("normal", "280.21", "8.13"))
    assert "bits" in finding.sentence


@given(st.floats(0.1, 20), st.integers(1, 6), st.booleans())
def test_true_pairs_are_fine_however_they_are_printed(loss, digits, cut):
    shown = math.floor(loss * 10**digits) / 10**digits if cut else loss
    perplexity = f"{math.exp(loss):.2f}"
    assert severity("normal", perplexity, f"{shown:.{digits}f}") == "fine"


@given(st.lists(st.floats(0.5, 12), min_size=2, max_size=20))
def test_a_mean_over_texts_is_fine_for_a_corpus(losses):
    perplexity = sum(map(math.exp, losses)) / len(losses)
    mean = sum(losses) / len(losses)
    assert severity("train", f"{perplexity:.2f}", f"{mean:.2f}") == "fine"


def test_losses_that_are_cut_off_are_a_matter_of_style():
    note = truncated([cell(*values) for values in CELLS])
    assert (note.severity, note.sentence.startswith("9 of 15")) == ("note", True)
    assert truncated([cell("normal", "437.24", "6.08")]) is None


def test_tables_of_many_shapes_are_paired(judge):
    wide = "| model | train ppl | train loss |\n|--|--|--|\n| base | 401.04 | 5.73 |"
    tall = "| split | Perplexity | Loss |\n|--|--|--|\n| train | 401.04 | 5.73 |"
    turned = "\tTrain\nPerplexity\t401.04\nLoss\t5.73"
    stripped = "Train\tDev Set\nPerplexity\t401.04\t380.80\nLoss\t5.73\t5.69"
    aligned = "Train  Dev Set\nPerplexity  401.04  380.80\nLoss        5.73    5.69"
    commas = "Train,Dev\nPerplexity,401.04,380.80\nLoss,5.73,5.69"
    rows = "model,metric,train\nbase,ppl,401.04\n,loss,5.73"
    latex = " & Train \\\\ \\hline\nPPL & 401.04 \\\\\nLoss & 5.73 \\\\\n\\end{tabular}"
    sentence = "Train: perplexity 401.04, loss 5.73"
    for text in (wide, tall, turned, stripped, aligned, commas, rows, latex, sentence):
        points = {"complete": 1, "agree": 1}
        judged = judge("perplexity_table", {"table": text}, need=["train"], points=points)
        assert judged.fraction == 1, text
        wrong = text.replace("401.04", "301.04")
        assert judge("perplexity_table", {"table": wrong}).fraction < 1, text


def test_the_five_tables_earn_all_points(judge):
    head = "\tTrain\tDev\tNormal Sample\tWeird Sample\tLong Sample\n"
    tables = [
        head + "Perplexity\t" + "\t".join(p) + "\nLoss\t" + "\t".join(loss)
        for p, loss in zip(PERPLEXITIES, LOSSES, strict=True)
    ]
    judged = judge(
        "perplexity_table",
        {"table": "\n\n".join(tables)},
        need=[*TEXTS],
        variants=5,
        points={"agree": 2, "complete": 1, "variants": 1},
    )
    assert judged.fraction == 1
    assert any("truncated" in note for note in judged.notes)


def test_what_lacks_or_is_not_finite_costs(judge):
    table = "| text | ppl | loss |\n|--|--|--|\n| train | inf | 5.6 |\n| dev | 380.80 | 5.69 |"
    judged = judge("perplexity_table", {"t": table}, need=["train", "validation"])
    assert judged.fraction == 0.5
    judged = judge(
        "perplexity_table", {"t": table}, need=["train", "dev"], points={"complete": 1}, variants=2
    )
    assert judged.fraction == 0.5
    assert "train" in judged.message


def test_a_name_that_says_neither_may_be_of_a_corpus(judge):
    table = "| {} | ppl | loss |\n|--|--|--|\n| {} | 380.80 | 5.69 |"
    for name in ("Baseline", "sinusoidal", "all dev documents", "train sample"):
        assert judge("perplexity_table", {"t": table.format("model", name)}).fraction == 1
    assert judge("perplexity_table", {"t": table.format("text", "weird sample")}).fraction == 0
    assert (
        judge("perplexity_table", {"t": table.format("x", "mine")}, singles=["mine"]).fraction == 0
    )


def test_a_declared_micro_average_is_held_to_equality(judge):
    table = "| | train |\n|--|--|\n| perplexity | 401.04 |\n| loss | 5.73 |"
    assert judge("perplexity_table", {"t": table}).fraction == 1
    assert judge("perplexity_table", {"t": table}, micro=True).fraction == 0
    assert judge("perplexity_table", {"t": table + "\n\nmicro-averaged over tokens"}).fraction == 0
    assert judge("perplexity_table", {"t": table + "\n\nnot micro-averaged"}).fraction == 1
    assert judge("perplexity_table", {"t": table + "\n\nMicrosoft's machine"}).fraction == 1


@pytest.mark.parametrize(
    "text",
    ["Perplexity 401.04 380.80\nLoss 5.73 5.69", "train ppl 401.04 loss 5.73, 380.80 / 5.69"],
)
def test_perplexities_without_a_name_go_to_a_person(judge, text):
    with pytest.raises(Unreadable, match="dev could not be found"):
        judge("perplexity_table", {"t": text}, need=["train", "dev"])


def test_numbers_beside_losses_may_be_perplexities(judge):
    text = "Train: 401.04 (loss 5.73)\nDev: 380.80 (loss 5.69)"
    with pytest.raises(Unreadable, match="No perplexity"):
        judge("perplexity_table", {"t": text})
    losses = "Train loss 5.73\nDev loss 5.69"
    assert judge("perplexity_table", {"t": losses}).fraction == 0


@pytest.mark.parametrize(
    "text",
    [
        "The train perplexity is in figure 1, dev perplexity in figure 2",
        *("train perplexity: see table 1, dev perplexity 2.2", "train ppl of attempt 3, dev ppl 4"),
        *("dev ppl lost after 9", "| | ppl |\n|--|--|\n| dev | 401 |\n\nsee table 3"),
    ],
)
def test_numbers_of_something_else_go_to_a_person(judge, text):
    with pytest.raises(Unreadable, match="which numbers"):
        judge("perplexity_table", {"t": text})


@pytest.mark.parametrize(
    "text",
    [
        "train perplexity is 401.04, dev perplexity: 380.80",
        *("train ppl = 401\ndev ppl = 380", "perplexity on the dev set was 380"),
        "| | train | dev |\n|--|--|--|\n| Perplexity | 401.04 | 380.80 |",
    ],
)
def test_perplexities_need_no_losses(judge, text):
    assert judge("perplexity_table", {"t": text}).fraction == 1


@pytest.mark.parametrize(("perplexity", "loss"), [("1e300", "0"), ("1e300", "5.6"), ("1", "0")])
def test_perplexities_of_no_trained_model_go_to_a_person(judge, perplexity, loss):
    table = f"| | train |\n|--|--|\n| perplexity | {perplexity} |\n"
    for text in (table, f"{table}| loss | {loss} |"):
        with pytest.raises(Unreadable, match="No trained model"):
            judge("perplexity_table", {"t": text})
