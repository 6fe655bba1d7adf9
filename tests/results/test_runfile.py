"""``run.json``: ours is read as a stream, anybody's is read if it is whole and right."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragproof.config.load import load_config
from ragproof.errors import RunFileError
from ragproof.regate import regate
from ragproof.results.runfile import RunFile, write_run

Refused = Callable[[str | bytes], str]


def test_valid_json_one_case_a_line(whole: str, demo: Path) -> None:
    data = json.loads(whole)
    rows = whole.split("\n")
    assert len(rows) == len(data["cases"]) + 3
    assert [json.loads(row.rstrip(","))["id"] for row in rows[1:-2]] == [
        case["id"] for case in data["cases"]
    ]
    run = RunFile(demo / "run.json")
    assert list(run.cases()) == data.pop("cases")
    assert run.head == data


def test_cases_can_be_read_again_and_again(demo: Path) -> None:
    run = RunFile(demo / "run.json")
    first = list(run.cases())
    next(run.cases())
    assert list(run.cases()) == first


@pytest.mark.parametrize(
    "layout",
    [
        lambda data: json.dumps(data, indent=2),
        json.dumps,
        lambda data: json.dumps(data, sort_keys=True, ensure_ascii=False),
        lambda data: "\ufeff" + json.dumps(data, indent="\t"),
        lambda data: json.dumps(data, indent=1).replace("\n", "\r\n"),
    ],
)
def test_another_layout_is_read_as_well(
    whole: str, demo: Path, tmp_path: Path, layout: Callable[[Any], str]
) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(layout(json.loads(whole)).encode())
    run, own = RunFile(path), RunFile(demo / "run.json")
    assert run.head == own.head
    assert list(run.cases()) == list(own.cases())


@pytest.mark.parametrize("end", ["\r\n", "\n\n", " \n"])
def test_our_layout_with_other_line_ends(whole: str, demo: Path, tmp_path: Path, end: str) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(whole.replace("\n", end).encode())
    assert list(RunFile(path).cases()) == list(RunFile(demo / "run.json").cases())


def test_a_file_cut_anywhere_is_refused(whole: str, refused: Refused) -> None:
    raw = whole.encode()
    for end in [*range(0, len(raw) - 3, len(raw) // 150), *range(len(raw) - 40, len(raw) - 2)]:
        assert refused(raw[:end])


def test_lines_left_out_are_missed(whole: str, refused: Refused) -> None:
    rows = whole.split("\n")
    assert refused("\n".join(rows[:5] + rows[7:])) == "F: not a run: it holds 78 of 80 cases"
    assert refused("\n".join([*rows[:5], rows[4], *rows[5:]])).endswith("it holds 81 of 80 cases")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "run F is empty"),
        ("{}", "F:1: not a run: it does not say that its schema is"),
        ("[]", "F:1: not a run: it does not say"),
        ("nonsense", "F:1: not a run: Expecting value"),
        ('{\n"schema": "ragproof.run/1",\nx', "F:3: not a run: "),
        ('{"schema": "ragproof.run/2"}', "F:1: not a run: it does not say that its schema is"),
        ('{"schema": "ragproof.run/1"}', "F:1: not a run: it holds no cases"),
        ('{"schema": "ragproof.run/1", "cases": 5}', "F:1: not a run: it holds no cases"),
        ('{"schema": "ragproof.run/1", "cases": []}', "F:1: not a run: ragproof is missing"),
        ('{"schema":"ragproof.run/1","cases":[', "F:1: not a run: ragproof is missing"),
        ('{"schema":"ragproof.run/1","schema":"x","cases":[', "stands twice"),
        ('{"schema":"ragproof.run/1","x":NaN,"cases":[', "NaN is not a JSON number"),
        ("[" * 100_000, "nested too deep"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b"\x00" * 100, "F:1: not a run: "),
    ],
)
def test_what_is_no_run(content: str | bytes, message: str, refused: Refused) -> None:
    assert message in refused(content)


def test_bytes_that_are_no_text_in_a_case(whole: str, refused: Refused) -> None:
    assert "not UTF-8" in refused(whole.encode().replace(b"rental", b"\xff", 1))


@pytest.mark.parametrize("name", ["missing", ".", "fifo"])
def test_paths_that_are_no_file(tmp_path: Path, name: str) -> None:
    import os

    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(RunFileError, match=f"cannot read the run {tmp_path / name}"):
        RunFile(tmp_path / name)


def test_text_after_the_end(whole: str, refused: Refused) -> None:
    assert "more text follows the end" in refused(whole + "{}")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a value, the first item of a list standing for all."""
    if isinstance(value, dict):
        inner = [place for key, one in value.items() for place in places(one, (*path, key))]
        return [path, *inner]
    return [path, *(places(value[0], (*path, 0)) if isinstance(value, list) and value else [])]


def put(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    for key in path[:-1]:
        data = data[key]
    if value is ...:
        del data[path[-1]]
    else:
        data[path[-1]] = value
    return data


HOSTILE = (None, True, -1, 10**30, 1.5, "x", "\n::error::x", [], [[]], [None], {}, {"x": None}, ...)


@pytest.fixture(scope="module")
def small(whole: str) -> dict[str, Any]:
    """A run of three cases, one of each kind, one of them an error."""
    data: dict[str, Any] = json.loads(whole)
    kinds = {case["kind"]: case for case in data["cases"]}
    data["cases"] = list(kinds.values())
    data["dataset"]["selected"] = 3
    data["gate"]["allow_failing"] = {"failing": ["a"], "passing": ["b"]}
    failed = data["cases"][1]
    failed |= {"outcome": "error", "scores": {}, "retrieved": None, "ranks": None, "answer": None}
    failed["failure"] = {"kind": "status", "message": "HTTP 500", "excerpt": "oops"}
    failed["latency_s"] = None
    return data


@pytest.mark.parametrize("layout", [None, 1])
def test_no_wrong_value_anywhere_makes_a_traceback_or_a_pass(
    small: dict[str, Any],
    demo: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    layout: int | None,
) -> None:
    """Every place of a run, filled with every kind of wrong value, through every reader."""
    from ragproof.cli import main

    run = tmp_path / "run.json"
    config, report, junit, short = (str(tmp_path / name) for name in ("c", "r.md", "j", "s"))
    Path(config).write_bytes((demo / "ragproof.yml").read_bytes())
    pairs = [(place, value) for place in places(small)[1:] for value in HOSTILE]
    # Some of the many, others on every layout; all of them would take a minute.
    for place, value in random.Random(layout).sample(pairs, 250):
        data = deepcopy(small)
        put(data, place, value)
        if layout is None:
            cases = data.pop("cases", None)
            rows = [json.dumps(case) for case in cases] if isinstance(cases, list) else []
            write_run(run, data, rows)
        else:
            run.write_text(json.dumps(data, indent=layout))
        codes = [
            main(["gate", str(run), "--config", config]),
            main(["report", str(run), "--md", report, "--junit", junit, "--json", short]),
            main(["report", str(run)]),
        ]
        out, err = capfd.readouterr()
        assert "unexpected" not in err, (place, value, err)
        assert "Traceback" not in err
        assert not any(row.lstrip().startswith("::") for row in (out + err).splitlines())
        assert codes[0] in (1, 2, 3), (place, value)
        assert all(code in (0, 3) for code in codes[1:]), (place, value)


@given(st.data())
@settings(max_examples=60)
def test_a_wrong_type_is_named_with_its_place(
    small: dict[str, Any], refused: Refused, data: st.DataObject
) -> None:
    wrong: list[tuple[tuple[Any, ...], Any]] = [
        (("cases", 0, "scores"), [1]),
        (("cases", 0, "scores", "retrieval.mrr"), "1"),
        (("cases", 2, "outcome"), "good"),
        (("cases", 1, "failure"), "x"),
        (("cases", 0, "tags"), "abc"),
        (("cases", 0, "ranks"), [1.5]),
        (("metrics", 0, "value"), True),
        (("gate", "thresholds", 0, "min"), "x"),
        (("dataset", "frozen"), 1),
        (("counts", "pass"), -1),
        (("settings", "case_pass", "qq"), {}),
        (("verdict",), "great"),
    ]
    place, value = data.draw(st.sampled_from(wrong))
    changed = deepcopy(small)
    put(changed, place, value)
    message = refused(json.dumps(changed, indent=1))
    shown = ".".join(map(str, place)).replace("cases.", "case ")
    head = shown if place[0] != "cases" else f"case {place[1] + 1}.{'.'.join(place[2:])}"
    assert head in message


def test_judging_anew_gives_the_verdict_of_the_run(demo: Path) -> None:
    run = RunFile(demo / "run.json")
    result, again = regate(run, load_config(demo / "ragproof.yml"))
    assert json.loads(json.dumps(again.head)) == run.head
    assert [case | {"known_failure": False} for case in run.cases()] == list(again.cases())
    assert int(result.exit_code) == run.head["exit_code"]
