import pytest

from graders.written.audits.accuracy import Split
from graders.written.audits.finding import by_severity
from graders.written.audits.reading.runs import report_of
from graders.written.audits.runs import (
    coverage,
    dev_equals_test,
    grid_findings,
    identical_runs,
    selection_finding,
)
from graders.written.audits.runs import test_above_dev as above
from graders.written.verifiers.reported.runs import Audited, audit
from graders.written.verifiers.reported.settings import RunSettings

GRID = {"lr": ["1e-4", "5e-4", "1e-3"], "epochs": [7, 9]}
POINTS = RunSettings(grid=GRID).exact_grid
DOCUMENT = """lr,epochs,dev,test
1e-3,9,0.6217125382262997,0.6271899088997898
5e-4,7,0.6217125382262997,0.6194814295725298
125e-4,12,0.6217125382262997,0.6187806587245971
125e-4,20,0.6217125382262997,0.5998598458304134
"""
MODELS = """model,dev,test
BERT-base-cased,0.7091743119266055,0.6923615977575333
RoBERTa-base,0.6217125382262997,0.6271899088997898
"""
SPLITS = {
    "dev": Split(items=3270, majority=2033),
    "test": Split(items=1427, majority=5874, population=9427),
}


def audited(text, **rules):
    return by_severity(audit(Audited(report_of(text), RunSettings(splits=SPLITS, **rules))))


def test_a_whole_grid_is_fine():
    rows = [f"{lr},{epochs},.7,.7" for lr in ("1e-4", "0.0005", "1e-03") for epochs in (7, 9)]
    covered = coverage(report_of("lr,epochs,dev,test\n" + "\n".join(rows)).runs, POINTS)
    assert [finding.id for finding in grid_findings(covered)] == ["grid"]
    twice = coverage(report_of("lr,epochs,dev,test\n" + "\n".join([*rows, rows[0]])).runs, POINTS)
    assert [finding.id for finding in grid_findings(twice)] == ["repeated-run"]


def test_the_documents_runs_are_flagged_as_one_class():
    ids = {
        finding.id for finding in audited(DOCUMENT, subset=10, grid=GRID, points={"selection": 1})
    }
    assert {"majority-class", "chance-range", "missing-runs", "off-grid", "no-choice"} <= ids
    assert "granularity" in ids
    assert not ids & {"debug-subset", "identical-runs", "accuracy-range", "dev-equals-test"}


def test_the_documents_models_are_told_apart():
    findings = audited(MODELS)
    flagged = [finding.sentence for finding in findings if finding.severity != "fine"]
    assert len(flagged) == 2
    assert all("RoBERTa-base" in sentence for sentence in flagged)


def test_runs_that_agree_in_every_digit_are_flagged():
    both = DOCUMENT + "5e-4,9,0.6217125382262997,0.6271899088997898\n"
    (finding,) = identical_runs(report_of(both).runs)
    assert "line 2" in finding.sentence
    assert "line 6" in finding.sentence
    assert not list(identical_runs(report_of("lr,epochs,dev,test\n1,7,.7,.7\n2,7,.7,.7").runs))


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [("1e-4,9", "selection"), ("1e-4,7", "chosen-on-test"), ("5e-4,7", "not-best-on-dev")],
)
def test_the_choice_is_held_to_dev(chosen, expected):
    rows = ["1e-4,7,.7092,.6924", "1e-4,9,.7101,.6910", "5e-4,7,.6217,.6272"]
    marked = [row + (",x" if row.startswith(chosen) else ",") for row in rows]
    text = "lr,epochs,dev,test,chosen\n" + "\n".join(marked)
    assert selection_finding(report_of(text), SPLITS).id == expected


def test_the_choice_is_one_of_tied_runs_or_the_only_one_tested():
    tied = "lr,epochs,dev,test,chosen\n1e-4,7,.7,.69,\n1e-4,9,.7,.68,x\n"
    finding = selection_finding(report_of(tied), SPLITS)
    assert (finding.id, "tie" in finding.sentence) == ("selection", True)
    tested = "lr,epochs,dev,test\n1e-4,7,.70,\n1e-4,9,.71,.69\n"
    assert selection_finding(report_of(tested), SPLITS).severity == "fine"
    assert (
        selection_finding(report_of(tested.replace(".70", ".72")), SPLITS).id == "not-best-on-dev"
    )
    twice = "lr,epochs,dev,test,chosen\n1e-4,7,.70,,x\n1e-4,9,.71,.69,x\n5e-4,9,.71,,\n"
    assert selection_finding(report_of(twice), SPLITS).id == "no-choice"


def test_test_equal_to_dev_everywhere_or_far_above_it_is_flagged():
    assert dev_equals_test(report_of("lr,dev,test\n1e-4,.9,90%\n5e-4,.6,.60\n").runs) is not None
    assert dev_equals_test(report_of("lr,dev,test\n1e-4,.9,.9\n5e-4,.6,.61\n").runs) is None
    assert list(above(report_of("lr,dev,test\n1e-4,.70,.75\n").runs, SPLITS))
    assert not list(above(report_of("lr,dev,test\n1e-4,.70,.73\n").runs, SPLITS))


def test_an_impossible_accuracy_is_named_first():
    findings = audited("lr,dev,test\n1e-4,.71234,130\n")
    assert {findings[0].id, findings[1].id} == {"granularity", "accuracy-range"}
    assert findings[0].severity == "impossible"
