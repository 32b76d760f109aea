from reports import write_reports, write_submission_files


def test_every_file_lies_where_others_look(tmp_path, graded):
    paths = [*write_submission_files(graded, tmp_path), *write_reports([graded], tmp_path)]
    assert [str(path.relative_to(tmp_path)) for path in paths] == [
        "results/ada.json",
        "gradescope/ada.json",
        "reports/ada.html",
        "grades.csv",
        "twins.json",
        "index.html",
    ]
    assert sorted(p for p in tmp_path.rglob("*") if p.is_file()) == sorted(paths)
