import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.errors import UsageError
from graders.written.audits.reading.pairs import pairs_in
from graders.written.audits.reading.runs import report_of
from graders.written.audits.reading.texts import texts_of
from graders.written.question import Unreadable

BOOLQ = {
    "splits": {
        "dev": {"items": 3270, "majority": 2033},
        "test": {"items": 1427, "majority": 5874, "population": 9427},
    },
    "subset": 10,
}
GRID = {"lr": ["1e-4", "5e-4", "1e-3"], "epochs": [7, 9]}
RUBRIC = {"runs": 2, "selection": 1, "test": 1, "stated": 1}
ROWS = [
    ("1e-4", 7, ".7092", ".6924"), ("1e-4", 9, ".7101", ".6910"), ("5e-4", 7, ".6217", ".6272"),
    ("5e-4", 9, ".6217", ".6195"), ("1e-3", 7, ".6217", ".6188"), ("1e-3", 9, ".6217", ".5999"),
]  # fmt: skip


def table(rows, chosen=None):
    lines = [
        f"| {lr} | {epochs} | {dev} | {test} | {'x' if at == chosen else ''} |"
        for at, (lr, epochs, dev, test) in enumerate(rows)
    ]
    return "\n".join(["| lr | epochs | dev | test | chosen |", "|--|--|--|--|--|", *lines])


@pytest.fixture
def grid(judge):
    def judged(text, **further):
        rules = {"grid": GRID, "points": RUBRIC, "need": ["lr", "epochs"], **BOOLQ, **further}
        return judge("reported_runs", {"runs": text}, **rules)

    return judged


def test_flags_cost_only_where_the_rubric_says_so(grid, judge):
    judged = grid(table(ROWS, chosen=1))
    assert judged.fraction == 1
    assert any("most frequent class" in note for note in judged.notes)
    text = "model,dev,test\nBERT,.7092,.6924\nRoBERTa,.6217125382262997,.6271899088997898"
    assert judge("reported_runs", {"t": text}, points={"learned": 1}, **BOOLQ).fraction == 0.5


def test_columns_may_have_german_names_and_unknown_ones_go_to_a_person(grid):
    text = table(ROWS, chosen=1)
    assert grid(text.replace("lr", "Lernrate").replace("epochs", "Epochen")).fraction == 1
    with pytest.raises(Unreadable, match="epochs"):
        grid(text.replace("epochs", "rounds") + "\n\nchosen: lr 1e-4, epochs 9")


@pytest.mark.parametrize(
    ("rows", "chosen", "fraction", "said"),
    [
        (ROWS, 0, 0.8, "use only dev"), (ROWS, None, 0.6, "which run you chose"),
        (ROWS[:3], 1, 0.8, "3 of the 6"), (ROWS[2:4], 0, (2 / 3 + 3) / 5, "2 of the 6"),
    ],
)  # fmt: skip
def test_each_thing_that_lacks_costs_its_points(grid, rows, chosen, fraction, said):
    judged = grid(table(rows, chosen))
    assert judged.fraction == pytest.approx(fraction)
    assert said in judged.message


@pytest.mark.parametrize(("dev", "test"), [("0", "0"), ("1", "1"), ("0", "1"), ("100 %", "0.0")])
def test_a_table_of_zeros_and_ones_goes_to_a_person(grid, judge, dev, test):
    rows = [(lr, epochs, dev, test) for lr, epochs, *_ in ROWS]
    with pytest.raises(Unreadable, match="0 or 1"):
        grid(table(rows, chosen=1))
    models = (
        f"| model | dev | test |\n|--|--|--|\n| one | {dev} | {test} |\n| two | {dev} | {test} |"
    )
    rules = {"need": ["dev", "test"], "points": {"runs": 1, "possible": 1}, "runs": 2}
    with pytest.raises(Unreadable, match="0 or 1"):
        judge("reported_runs", {"runs": models}, **rules, **BOOLQ)
    assert grid(table([*ROWS[:5], ("1e-3", 9, "0", "0")], chosen=1)).fraction == 1


@pytest.mark.parametrize("accuracy", ["0.9", ".6", "80%", "0.90", "9/10"])
def test_accuracies_of_ten_items_are_impossible(judge, accuracy):
    rules = {"need": ["dev", "test"], **BOOLQ}
    for parts in ({"dev": accuracy, "test": accuracy}, {"t": f"dev: {accuracy}\ntest: {accuracy}"}):
        judged = judge("reported_runs", parts, **rules)
        assert judged.fraction == 0
        assert "10 items" in judged.message or "Impossible" in judged.message


@pytest.mark.parametrize(
    "text",
    [
        "1727/1821",
        "**94.83%**",
        "Test accuracy: 94.83%",
        "The test accuracy is 94.83%.",
        "94,83 %",
        "test acc = 0.94838",
        "94.83 percent",
        "We got 94.83 % with the chosen model",
        "0.9483 (Table 2)",
        "94.83, see step 1000",
        "the test accuracy is 95",
        "95 % on the test sentences",
    ],
)
def test_a_single_accuracy_is_read_as_people_write_it(judge, text):
    rules = {"need": ["test"], "splits": {"test": {"items": 1821, "majority": 912}}}
    assert judge("reported_runs", {"test": text}, **rules).fraction == 1
    assert judge("reported_runs", {"accuracy": text}, **rules).fraction == 1


@pytest.mark.parametrize("text", ["0.94881", "194.83", "-3", "1700/1800"])
def test_a_single_accuracy_that_cannot_be_is_refused(judge, text):
    rules = {"need": ["test"], "splits": {"test": {"items": 1821}}}
    assert judge("reported_runs", {"test": text}, **rules).fraction == 0


@pytest.mark.parametrize(
    "text",
    [
        "not 94.83 %", "< 94.83 %", "94.83 % or 94.81 %", "between 94 % and 95 %", "94.83 ‰",
        "Colab crashed; attempt 1 failed", "see section 1", "TBD (see table 1)", "I had 1 GPU",
        "see Table 2.1", "test 95 crashed", "after 3 epochs, 94.83 %", "I used 95 of my hours",
        "error 5.17 %", "94.83 % at epoch 5 with batch size 128", "94.83 % (loss 0.16)",
    ],
)  # fmt: skip
def test_a_number_that_may_be_no_accuracy_goes_to_a_person(judge, text):
    rules = {"need": ["test"], "splits": {"test": {"items": 1821, "majority": 912}}}
    with pytest.raises(Unreadable, match="which number"):
        judge("reported_runs", {"accuracy": text}, **rules)


@pytest.mark.parametrize("text", ["1", "100 %", "1.0", "1821/1821", "test accuracy: 100%"])
def test_a_perfect_accuracy_goes_to_a_person(judge, text):
    for part in ("accuracy", "test"):
        with pytest.raises(Unreadable, match="100%"):
            judge("reported_runs", {part: text}, need=["test"])


def test_settings_are_positive_and_a_loss_begins_no_run(judge):
    rules = {"need": ["dev", "test", "lr", "epochs"], "points": {"possible": 1, "stated": 1}}
    text = "lr {}, {} epochs, dev 70.92 % (loss 0.61), test 69.24 % (loss 0.63)"
    shares = {
        (lr, epochs): judge("reported_runs", {"run": text.format(lr, epochs)}, **rules).fraction
        for lr, epochs in (("1e-4", 20), ("0", 20), ("1e-4", 0))
    }
    assert list(shares.values()) == [1, 0.75, 0.75]


@pytest.mark.parametrize("lr", ["1e-5", "0,00001", "10^-5"])
def test_a_learning_rate_without_a_name_goes_to_a_person(judge, lr):
    rules = {"need": ["dev", "lr"], "points": {"possible": 1, "stated": 1}}
    with pytest.raises(Unreadable, match="lr"):
        judge("reported_runs", {"run": f"9 epochs at {lr}: dev 0.7092"}, **rules)
    assert judge("reported_runs", {"run": "9 epochs: dev 0.7092"}, **rules).fraction == 0.5


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("96.99% 94.61%", ["train", "dev"]), ("acc 96.99 / 94.61", ["train", "dev"]),
        ("0.9699, 0.9461", ["train", "dev"]), ("6712/6920 and 825/872", ["train", "dev"]),
        ("accuracy 94.61 %", ["train", "dev"]), ("97 % and 95 %", ["train", "dev"]),
        ("train accuracy 96.99 %, 94.61 %", ["dev"]), ("94.61 % on dev, 96.99 %", ["train"]),
    ],
)  # fmt: skip
def test_accuracies_without_a_name_go_to_a_person(judge, text, missing):
    rules = {"need": ["lr", "epochs", "train", "dev"], "points": {"possible": 2, "stated": 1}}
    setup = "bs=32 lr=1e-5 weight_decay=0.01 3 epochs"
    with pytest.raises(Unreadable) as caught:
        judge("reported_runs", {"runs": f"{setup} {text}"}, **rules)
    named = [name for name in ("train", "dev") if f"`{name} accuracy`" in str(caught.value)]
    assert named == missing
    assert judge("reported_runs", {"runs": setup}, **rules).fraction == pytest.approx(1 / 3)


@pytest.mark.parametrize("text", ["abc", "", "nan", "the figure is lost"])
def test_nothing_to_read_is_told_with_a_remedy(judge, text):
    with pytest.raises(Unreadable, match="write"):
        judge("reported_runs", {"test": text}, need=["test"])
    with pytest.raises(Unreadable, match="write a table"):
        judge("reported_runs", {"runs": text}, need=["dev"])


@pytest.mark.parametrize(("test", "fraction"), [("132/437", 1), ("131/437", 0), ("0.30", 1)])
def test_a_threshold_is_reached_by_the_count(judge, test, fraction):
    rules = {"splits": {"test": {"items": 437}}, "thresholds": {"test": 0.3}}
    judged = judge("reported_runs", {"test": test}, points={"reached": 1}, **rules)
    assert judged.fraction == fraction


def test_wrong_settings_are_staffs_fault(judge):
    with pytest.raises(UsageError, match="splitz"):
        judge("reported_runs", {"t": "dev .7"}, splitz={})


HOSTILE = {
    "rows": "| lr | epochs | dev | test |\n" + "| 1e-4 | 7 | .71 | .72 |\n" * 990,
    "one row each": "lr,epochs,dev,test\n" + "\n".join(f"1e-4,{n},.7{n},.6{n}" for n in range(990)),
    "names": ("dev 1e" * 80 + "\n") * 120,
    "signs": "=:|&,;\t" * 8_000,
    "fractions": ("1/" * 240 + "\n") * 120,
    "powers": "lr: 1e99999999\ndev: 9e400\ntest: 1e-999999",
    "not finite": "lr,epochs,dev\n1e999,inf,nan\n-inf,1e-999,∞",
    "digits": "dev " + "9" * 50_000,
    "control": "\x00\x1b[31m\u202e dev .7 \u2066",
    "wide": "| dev " * 9_000 + "\n" + "| .7 " * 900,
    "brackets": "[{(" * 19_000,
    "long cell": "| dev | test |\n|---|---|\n| x" + " " * 55_000 + "y | .7 |\n",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("verify", ["reported_runs", "perplexity_table", "reported_curve"])
def test_hostile_answers_are_bounded(judge, name, verify):
    rules = {"grid": GRID, "points": RUBRIC, **BOOLQ} if verify == "reported_runs" else {}
    before = time.process_time()
    with contextlib.suppress(Unreadable):
        assert 0 <= judge(verify, {"runs": HOSTILE[name]}, **rules).fraction <= 1
    assert time.process_time() - before < 10  # far above the half second it takes


@settings(max_examples=150)
@given(st.text(alphabet="lrdevtsacpoh 0123456789.,;:|&%/\n\t-=eE{}[]\\*$_xnaif∞", max_size=300))
def test_any_text_is_judged_or_refused(text):
    report_of(text)
    texts_of(text)
    list(pairs_in([(1, text)]))


@pytest.mark.parametrize(
    "said",
    [
        "Best configuration on dev: 1e-4, 9 epochs", "We pick (1e-4, 9).", "chosen: 1e-4 / 9",
        "best dev accuracy 0.7101", "I chose run 2", "Chosen: lr=0.0001, 9 epochs",
        "selected run: learning rate = 0.0001 and num_epochs = 9", "final model: #2",
    ],
)  # fmt: skip
def test_a_choice_may_be_said_in_many_ways(grid, said):
    assert grid(table(ROWS) + "\n\n" + said).fraction == 1
    wrong = (
        said.replace("9", "7").replace("0.7101", "0.7092").replace(" 2", " 1").replace("#2", "#1")
    )
    assert grid(table(ROWS) + "\n\n" + wrong).fraction == pytest.approx(0.8)


@pytest.mark.parametrize(
    "text",
    [
        "We trained for 20 epochs with a learning rate of 1e-4: 70.92% on dev and 69.24% on test.",
        "Dev: 70.92% | Test: 69.24% | lr: 1e-4 | epochs: 20",
        "validation 0.7092\ntest 0.6924\nlr 1e-4\nepochs 20",
        "dev/test accuracy: 0.7092/0.6924 (lr 1e-4, 20 epochs)",
        "dev acc = 2319/3270, test acc = 988/1427, lr = 1e-4, epochs = 20",
        "Hyperparameters: lr=1e-4, num_epochs=20\n- DEV metrics: accuracy={'accuracy': 0.70917}\n"
        "- TEST metrics: accuracy={'accuracy': 0.69236}",
    ],
)
def test_one_run_in_many_words(judge, text):
    rules = {"need": ["dev", "test", "lr", "epochs"], "points": {"possible": 1, "stated": 1}}
    judged = judge("reported_runs", {"run": text}, **rules, **BOOLQ)
    assert (judged.fraction, judged.notes) == (1, ())
