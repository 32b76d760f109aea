import pytest

from graders.written.audits.reading.runs import report_of
from graders.written.audits.runs import chosen_run
from graders.written.question import Unreadable

ROWS = [("1e-4", "7", ".7092", ".6924"), ("5e-4", "9", ".6217", ".6272")]
PIPES = (
    "| lr | epochs | dev | test |\n|---|:-:|---|---|\n| 1e-4 | 7 | **.7092** | .6924 |\n"
    "| 5e-4 | 9 | .6217 | .6272 |"
)
NOTATIONS = {
    "pipes": PIPES,
    "pipes without edges": "lr | epochs | dev | test\n--|--|--|--\n1e-4 | 7 | 70.92% | 69.24 %\n"
    "5e-4 | 9 | 62.17% | 62.72%",
    "csv": "learning_rate,num_epochs,val_acc,test_acc\n1e-4,7,.7092,.6924\n5e-4,9,.6217,.6272",
    "semicolons": "lr;epochs;dev;test\n1e-4;7;0,7092;0,6924\n5e-4;9;0,6217;0,6272",
    "tabs": "lr\tepochs\tdev\ttest\n1e-4\t7\t.7092\t.6924\n5e-4\t9\t.6217\t.6272",
    "aligned": "lr    epochs  dev acc  test acc\n1e-4  7       .7092    .6924\n"
    "5e-4  9       .6217    .6272",
    "blanks": "lr epochs dev test\n1e-4 7 .7092 .6924\n5e-4 9 .6217 .6272",
    "latex": "\\begin{tabular}{rrrr}\n\\toprule\n$\\eta$ & epochs & dev & test \\\\ \\midrule\n"
    "$10^{-4}$ & 7 & 70.92\\% & 69.24\\% \\\\\n$5\\times10^{-4}$ & 9 & 62.17\\% & 62.72\\% \\\\\n"
    "\\bottomrule\n\\end{tabular}",
    "yaml": "- lr: 1e-4\n  epochs: 7\n  dev: .7092\n  test: .6924\n"
    "- lr: 5e-4\n  epochs: 9\n  dev: .6217\n  test: .6272",
    "flow": "{lr: 1e-4, epochs: 7, dev: .7092, test: .6924}\n"
    "{lr: 5e-4, epochs: 9, dev: .6217, test: .6272}",
    "json": '[{"lr": 1e-4, "epochs": 7, "dev": 0.7092, "test": 0.6924},\n'
    ' {"lr": 5e-4, "epochs": 9, "dev": 0.6217, "test": 0.6272}]',
    "turned": "| | A | B |\n|--|--|--|\n| lr | 1e-4 | 5e-4 |\n| epochs | 7 | 9 |\n"
    "| dev | .7092 | .6217 |\n| test | .6924 | .6272 |",
    "two in a cell": "| lr, epochs | dev / test |\n|--|--|\n| 1e-4, 7 | .7092 / .6924 |\n"
    "| 5e-4, 9 | .6217/.6272 |",
    "named rows": "| run | dev | test |\n|--|--|--|\n| lr=1e-4, 7 epochs | .7092 | .6924 |\n"
    "| lr=5e-4, 9 epochs | .6217 | .6272 |",
    "log": "Run 1 (lr=1e-4, num_epochs=7):\n- DEV metrics: accuracy={'accuracy': 0.7092}\n"
    "- TEST metrics: accuracy={'accuracy': 0.6924}\n\n"
    "Run 2 (lr=5e-4, num_epochs=9):\n- DEV metrics: accuracy={'accuracy': 0.6217}\n"
    "- TEST metrics: accuracy={'accuracy': 0.6272}",
    "sentences": "With lr 1e-4 and 7 epochs the dev accuracy is 70.92% "
    "and the test accuracy is 69.24%.\n"
    "With lr 5e-4 and 9 epochs the dev accuracy is 62.17% and the test accuracy is 62.72%.",
    "fenced": "```\n" + "lr,epochs,dev,test\n1e-4,7,.7092,.6924\n5e-4,9,.6217,.6272" + "\n```",
}


def values(text):
    names = ("lr", "epochs", "dev", "test")
    shares = {"dev", "test"}
    return [
        tuple(
            float(run.values[name].share if name in shares else run.values[name].value)
            for name in names
        )
        for run in report_of(text).runs
    ]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_two_runs_in_many_notations(notation):
    assert values(NOTATIONS[notation]) == [(1e-4, 7, 0.7092, 0.6924), (5e-4, 9, 0.6217, 0.6272)]


def test_a_grid_of_cells_is_a_run_a_cell():
    rows = "| 1e-4 | .70/.69 | .71/.68 |\n| 5e-4 | .62/.63 | .61/.6 |"
    text = f"| lr \\ epochs | 7 | 9 |\n|--|--|--|\n{rows}"
    runs = values(text)
    assert len(runs) == 4
    assert runs[1] == (1e-4, 9, 0.71, 0.68)


@pytest.mark.parametrize(
    "text",
    [
        PIPES,
        PIPES.replace("**", "")
        .replace(".6924 |", ".6924 | ← |", 1)
        .replace("test |", "test | |", 1),
        PIPES.replace("**", "") + "\n\nBest run: lr=1e-4, 7 epochs.",
        PIPES.replace("**", "")
        .replace("test |", "test | chosen |")
        .replace(".6924 |", ".6924 | yes |"),
    ],
)
def test_a_choice_is_read_however_it_is_marked(text):
    assert chosen_run(report_of(text)).run.values["dev"].text.strip("*") == ".7092"


def test_sentences_give_accuracies_in_order_and_what_holds_for_all_runs():
    (run,) = report_of("Training and validation accuracy respectively are 95.91%, 93.23%.").runs
    assert float(run.values["train"].share) == 0.9591
    assert float(run.values["dev"].share) == 0.9323
    shared = report_of(PIPES + "\n\nbatch size = 64 in all runs").shared
    assert float(shared["batch_size"].value) == 64
    assert report_of("We trained it, and it was good,\nand then we stopped, of course.").runs == ()


@pytest.mark.parametrize("cell", ["nan", "inf", "1e999"])
def test_a_number_that_is_not_finite_is_named(cell):
    (run,) = report_of(f"lr,epochs,dev\n1e-4,7,{cell}\n").runs
    assert run.not_finite == ("dev",)


@pytest.mark.parametrize("text", ["| a | b |\n" * 10_000, "9" * 10_000_000, "lr,dev\n" * 9_000])
def test_a_table_beyond_bounds_is_refused_with_a_remedy(text):
    with pytest.raises(Unreadable, match="one row per run"):
        report_of(text)


def test_runs_in_a_list_are_called_by_their_own_number():
    text = "Run 1: lr=1e-4, dev acc 0.7\nRun 2: lr=5e-4, dev acc 0.6\nBest run: lr=1e-4"
    assert [run.label for run in report_of(text).runs] == ["Run 1", "Run 2"]
