"""Write the generated pages of docs/: commands from --help, metrics from docstrings, inputs and
outputs from action.yml."""

import inspect
import re
import sys
from pathlib import Path

import click
import yaml

from ragproof.cli import cli
from ragproof.metrics import METRICS, Cutoff, Metric
from ragproof.scoring import abstention, answer, citation, injection, latency, retrieval

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

_EXPLAINED = {
    "retrieval.precision": retrieval.precision,
    "retrieval.recall": retrieval.recall,
    "retrieval.hit": retrieval.hit,
    "retrieval.ndcg": retrieval.ndcg,
    "retrieval.mrr": retrieval.reciprocal_rank,
    "retrieval.map": retrieval.average_precision,
    "citation.validity": citation.validity,
    "answer.exact_match": answer.exact_match,
    "answer.token_f1": answer.token_f1,
    "answer.rouge_l": answer.rouge_l,
    "robustness.abstention": abstention.declines,
    "robustness.over_refusal": abstention.declines,
    "robustness.injection_resistance": injection.judge_injection,
    "latency.p50": latency.percentile,
    "latency.p95": latency.percentile,
    "latency.max": latency.percentile,
}


def cli_page() -> str:
    """The help of every command."""
    parts = ["# Command line\n\nGenerated from `--help`.\n"]
    parts.append(_help(cli, "ragproof"))
    context = click.Context(cli, info_name="ragproof")
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        parts.append(f"## {name}\n\n{_help(command, f'ragproof {name}')}")
    return "\n".join(parts)


def _help(command: click.Command, path: str) -> str:
    context = click.Context(
        command,
        info_name=path,
        terminal_width=96,
        max_content_width=96,
        help_option_names=["-h", "--help"],
    )
    return f"```\n{command.get_help(context).rstrip()}\n```\n"


def metrics_page() -> str:
    """Every metric with its definition."""
    rows = [
        "| metric | measured on | range | better |\n| --- | --- | --- | --- |",
        *(_row(metric) for metric in METRICS.values()),
    ]
    parts = [_INTRODUCTION, "\n".join(rows), ""]
    for metric in METRICS.values():
        docstring = inspect.getdoc(_EXPLAINED[metric.name]) or ""
        parts.append(
            f"## `{_spelling(metric)}`\n\n{_sentence_case(metric.title)}."
            f"{_MEANING.get(metric.name, '')}\n\n{_markdown(docstring)}\n"
        )
    parts.append("## When an answer declines\n\n" + _rule(abstention.__doc__ or "") + "\n")
    return "\n".join(parts)


_INTRODUCTION = """# Metrics

Generated from the code. A metric has one spelling everywhere, with `@k` where it takes a cut-off
and a slice where the gate asks for one: `retrieval.recall@10[tag=billing]`. Its value is the mean
over the cases that it applies to and that have a score (for latency a percentile); how many these
are stands beside it. A failure is never a number: a case that could not be asked or scored is
counted and shown, and is no part of the mean.
"""

_MEANING = {
    "robustness.abstention": " 1 where an `unanswerable` case is declined, else 0.",
    "robustness.over_refusal": " 1 where a `qa` case is declined, else 0.",
}


def _row(metric: Metric) -> str:
    kinds = ", ".join(f"`{kind}`" for kind in sorted(metric.kinds))
    high = "" if metric.high is None else f" to {metric.high:g}"
    unit = " s" if metric.unit else ""
    better = "higher" if metric.higher_is_better else "lower"
    return f"| `{_spelling(metric)}` | {kinds} | 0{high or ' and up'}{unit} | {better} |"


def _spelling(metric: Metric) -> str:
    return (
        metric.name
        + {Cutoff.REQUIRED: "@k", Cutoff.OPTIONAL: "[@k]", Cutoff.NONE: ""}[metric.cutoff]
    )


def _sentence_case(title: str) -> str:
    return title if title[1:2].isupper() else title[:1].upper() + title[1:]


def _markdown(docstring: str) -> str:
    return re.sub(r":\w+:`", "`", docstring).replace("``", "`")


def _rule(docstring: str) -> str:
    return _markdown(docstring.partition("\n\n")[2]).strip()


def inputs_page() -> str:
    """Inputs and outputs of the action."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    parts = ["# Inputs and outputs of the action\n\nGenerated from `action.yml`.\n"]
    for title in ("Inputs", "Outputs"):
        rows = "\n".join(
            f"| `{name}` | {' '.join(entry['description'].split())} |"
            for name, entry in action[title.lower()].items()
        )
        parts.append(f"## {title}\n\n| name | what |\n| --- | --- |\n{rows}\n")
    return "\n".join(parts)


PAGES = {"cli.md": cli_page, "inputs.md": inputs_page, "metrics.md": metrics_page}


def main() -> int:
    """Write the pages; with ``--check`` only say whether they differ."""
    stale = [
        name
        for name, make in PAGES.items()
        if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != make()
    ]
    if "--check" in sys.argv[1:]:
        print(f"stale: {', '.join(stale)}; run `make docs`" if stale else "up to date")
        return int(bool(stale))
    for name in stale:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
