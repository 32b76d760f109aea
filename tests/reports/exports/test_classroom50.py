import json

from reports.exports.classroom50 import classroom50_text


def test_a_result_is_one_document(graded):
    document = json.loads(classroom50_text(graded))
    assert document["schema"] == "classroom50/result/v1"
    assert (document["score"], document["max_score"]) == (15.0, 20.0)
    assert document["tests"][0] == {
        "name": "Rotary embedding",
        "status": "partial",
        "score": 2.0,
        "max_score": 4.0,
    }


def test_a_hidden_criterion_counts_and_is_not_named(graded):
    assert "Hidden" not in classroom50_text(graded)
    assert [each["name"] for each in json.loads(classroom50_text(graded))["tests"]] == [
        "Rotary embedding",
        "Prediction files",
    ]


def test_no_total_is_no_document(graded, incomplete, rejected, export):
    written = export("classroom50", incomplete, graded, rejected)
    assert [json.loads(each)["submission"] for each in written.text.splitlines()] == ["ada"]
    assert len(written.problems) == 2
    assert all("left out" in each for each in written.problems)


def test_hostile_text_stays_on_its_line(hostile):
    text = classroom50_text(hostile)
    assert text.count("\n") == 1
    name = json.loads(text)["tests"][0]["name"]
    assert len(name) < 300
    assert "\x1b" not in name
