"""A report as GitHub-flavoured Markdown, as large as there is room for."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from ragproof.report import escape
from ragproof.report.parts import Problem, Regenerated, View
from ragproof.report.untrusted import Untrusted, reveal

if TYPE_CHECKING:
    from jinja2 import Template

OPEN_CASES = 3
"""Failing cases that are seen without unfolding anything."""


def render_markdown(view: View) -> str:
    """Lay out a report. It ends with a line break and holds no marker of any kind."""
    return _template("report").render(view=view, open_cases=OPEN_CASES)


def render_problem(problem: Problem) -> str:
    """Lay out why there is no report."""
    return _template("problem").render(problem=problem)


def render_regenerated(view: Regenerated) -> str:
    """Lay out what is said about a dataset that was made anew, without a headline."""
    return _template("regenerated").render(view=view)


def fit(view: View, limit: int, size: Callable[[str], int] = len) -> str:
    """The largest form of a report that is not larger than ``limit``.

    What goes first are failing cases, the least bad of them; then what only helps to find
    out more; at last all but the verdict, its reason and the counts. Whatever is left out
    is named, with the place where it is found.
    """
    for smaller in _smaller(view):
        text = render_markdown(smaller)
        if size(text) <= limit:
            return text
    return _template("minimal").render(view=view)


def _smaller(view: View) -> Iterator[View]:
    yield view
    cases = len(view.failing)
    while cases:
        cases //= 2
        yield view.limited_to(cases)
    yield view.brief()


@cache
def _template(name: str) -> "Template":
    """A compiled template, made at first use: importing jinja2 takes longer than rendering."""
    from importlib.resources import files  # noqa: PLC0415

    source = files("ragproof.report").joinpath("templates", f"{name}.md.jinja")
    return compile_template(source.read_text(encoding="utf-8"))


def compile_template(source: str) -> "Template":
    """Compile a template that sees nothing but data, and prints texts of others only filtered."""
    from jinja2 import StrictUndefined  # noqa: PLC0415
    from jinja2.sandbox import SandboxedEnvironment  # noqa: PLC0415

    environment = SandboxedEnvironment(
        undefined=StrictUndefined,
        # HTML escapes are not what makes Markdown safe; Untrusted sees to the filters.
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for function in (escape.code, escape.span, escape.fence, escape.plain):
        environment.filters[function.__name__] = _filter(function)
    return environment.from_string(source)


def _filter(function: Callable[[str], str]) -> Callable[[Untrusted], str]:
    return lambda value: function(reveal(value))
