"""Speed beside the least that such a program can cost; every ratio comes from one run.

``python benchmarks/run.py [--reps N] [--only NAME,...]`` prints a Markdown table. The processes
compared run in turn, and the medians of their figures are divided.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import kit

Row = tuple[str, str, str, str, str]


def cpu(server: kit.Server, reps: int) -> Iterator[Row]:
    """Processor time of a whole run against a bare loop of prepared requests."""
    cases = 10_000
    server.reset(cases)
    pairs = [
        (kit.floor("requests-prepared", cases, 32)[1], kit.ours(cases, 32).cpu) for _ in range(reps)
    ]
    bare, ours = (median(column) * 1000 / cases for column in zip(*pairs, strict=True))
    yield (
        "CPU a case, 10,000 cases, 32 in flight",
        f"{bare:.2f} ms, bare `requests` loop",
        f"{ours:.2f} ms",
        f"{ours / bare:.2f}",
        "1.5",
    )


def latency(server: kit.Server, reps: int) -> Iterator[Row]:
    """First request to last response against the least that the latency allows."""
    cases, flight, wait_ms = 10_000, 64, 50
    spans, walls = [], []
    for _ in range(reps):
        server.reset(cases, wait_ms)
        walls.append(kit.ours(cases, flight).wall)
        spans.append(server.span())
    least = cases * wait_ms / 1000 / flight
    yield (
        "first request to last response, 10,000 cases at 50 ms, 64 in flight",
        f"{least:.2f} s, N x latency / 64",
        f"{median(spans):.2f} s (whole process {median(walls):.2f} s)",
        f"{median(spans) / least:.2f}",
        "1.1",
    )


def small(server: kit.Server, reps: int) -> Iterator[Row]:
    """A pull request's run as a whole process against a bare urllib3 loop."""
    cases = 100
    server.reset(cases)
    pairs = [
        (kit.floor("urllib3-threads", cases, 32)[0].wall, kit.ours(cases, 32).wall)
        for _ in range(reps * 3)
    ]
    bare, ours = (median(column) for column in zip(*pairs, strict=True))
    yield (
        "whole process, 100 cases",
        f"{bare:.2f} s, bare `urllib3` loop",
        f"{ours:.2f} s",
        f"{ours / bare:.2f}",
        "3",
    )


def memory(server: kit.Server, reps: int) -> Iterator[Row]:
    """Peak memory, reports included."""
    for cases in (10_000, 100_000):
        server.reset(cases)
        peak = kit.ours(cases, 32).peak_mb
        allowed = 60 + cases / 1000
        yield (
            f"peak memory, {cases:,} cases",
            f"{allowed:.0f} MB, 60 MB and 1 KB a case",
            f"{peak:.0f} MB",
            f"{peak / allowed:.2f}",
            "1",
        )


def version(server: kit.Server, reps: int) -> Iterator[Row]:
    """Start-up of the command line."""
    python = kit.OURS / "python"
    pairs = [
        (
            kit.run(python, "-c", "import click").wall,
            kit.run(kit.OURS / "ragproof", "--version").wall,
        )
        for _ in range(reps * 7)
    ]
    bare, ours = (median(column) for column in zip(*pairs, strict=True))
    yield (
        "`ragproof --version`",
        f"{bare * 1000:.0f} ms, `import click`",
        f"{ours * 1000:.0f} ms",
        f"{ours / bare:.2f}",
        "2.5",
    )


def rescore(server: kit.Server, reps: int) -> Iterator[Row]:
    """Scoring saved responses against pytrec_eval reading the same file."""
    cases = 100_000
    server.reset(cases)
    kit.ours(cases, 32)
    saved = kit.HOME / f"out-{cases}" / "responses.jsonl"
    retrieval = kit.HOME / "rescore.yml"
    text = kit.config(cases, 32).read_text()
    text = "\n".join(
        line
        for line in text.splitlines()
        if "answer:" not in line and "citations:" not in line and "injection" not in line
    )
    retrieval.write_text(text + "\n")
    other = Path(__file__).with_name("pytrec_reference.py")
    pairs = []
    for _ in range(reps):
        bare = kit.run(kit.OURS / "python", other, kit.dataset(cases), saved)
        mine = kit.run(
            kit.OURS / "ragproof",
            "run",
            "--config",
            retrieval,
            "--responses",
            saved,
            "--out",
            kit.HOME / "out-rescore",
        )
        pairs.append((bare.cpu, mine.cpu))
    bare_s, ours_s = (median(column) for column in zip(*pairs, strict=True))
    yield (
        "scoring 100,000 saved responses again",
        f"{bare_s:.1f} s, pytrec_eval",
        f"{ours_s:.1f} s",
        f"{ours_s / bare_s:.2f}",
        "2",
    )


MEASUREMENTS: dict[str, Callable[[kit.Server, int], Iterator[Row]]] = {
    "cpu": cpu,
    "latency": latency,
    "small": small,
    "memory": memory,
    "version": version,
    "rescore": rescore,
}


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--only", default=",".join(MEASUREMENTS))
    arguments = parser.parse_args()
    kit.prepare()
    print(
        "| what | the least | ragproof | ratio | goal |\n| --- | --- | --- | ---: | ---: |",
        flush=True,
    )
    with kit.Server() as server:
        for name in arguments.only.split(","):
            for row in MEASUREMENTS[name](server, arguments.reps):
                print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
