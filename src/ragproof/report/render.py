"""A report as GitHub-flavoured Markdown."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from ragproof.report import escape
from ragproof.report.parts import View
from ragproof.report.untrusted import Untrusted, reveal

if TYPE_CHECKING:
    from jinja2 import Template


def render_markdown(view: View) -> str:
    """Lay out a report. It ends with a line break and holds no marker of any kind."""
    return report_template().render(view=view)


@cache
def report_template() -> "Template":
    """The compiled template, made at first use: importing jinja2 takes longer than rendering."""
    from importlib.resources import files  # noqa: PLC0415

    source = files("ragproof.report").joinpath("templates", "report.md.jinja")
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
