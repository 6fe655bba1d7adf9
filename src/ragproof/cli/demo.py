"""``ragproof demo``."""

from importlib import resources
from pathlib import Path

import click

from ragproof.cli.console import say, tell
from ragproof.cli.options import out_option
from ragproof.errors import StorageError, UsageError

_FILES = ("ragproof.yml", "dataset.frozen.json")


@click.command("demo", short_help="Evaluate a small RAG endpoint that comes with ragproof.")
@out_option
@click.option("--regress", is_flag=True, help="Serve a version that got worse: the gate fails.")
@click.option("--serve", is_flag=True, help="Only serve the endpoint, until interrupted.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=None,
    help="Port to serve on; by default 8000 with --serve, else any free one.",
)
def command(out: Path, regress: bool, serve: bool, host: str, port: int | None) -> int:
    """Start a small RAG endpoint over a sample handbook on this machine, ask it the frozen sample
    set over HTTP, print the verdict and write the reports. Needs no key and no network.

    The configuration and the set are written beside the reports, to try things with."""
    from ragproof.demo.server import DemoServer

    port = port if port is not None else (8000 if serve else 0)
    try:
        server = DemoServer(host, port, regress)
    except (OSError, UnicodeError) as error:
        words = getattr(error, "strerror", None) or error
        raise StorageError(
            f"cannot serve on {host} port {port}: {words}",
            "choose another with --port",
        ) from None
    if serve:
        say(f"serving on {server.url}/query; stop with Ctrl-C")
        server.serve_forever()
    with server:
        return _evaluate(server.url, out)


def _evaluate(url: str, out: Path) -> int:
    from ragproof.cli import evaluate
    from ragproof.files import make_folder

    make_folder(out)
    for name in _FILES:
        text = resources.files("ragproof.demo").joinpath(name).read_text(encoding="utf-8")
        _put(out / name, text)
    tell(f"the demo endpoint answers on {url}")
    settings = evaluate.read_settings(out / "ragproof.yml", None, f"{url}/query", no_gate=False)
    secrets = evaluate.resolve(settings, ())
    job = evaluate.make_job(settings, evaluate.read_dataset(settings))
    asked = evaluate.ask(job, secrets, out)
    evaluate.conclude(asked.finished, out)
    return asked.exit_code


def _put(path: Path, text: str) -> None:
    """Write a file of the demo, but not over one of the user's."""
    from ragproof.files import write_text

    if not path.exists():
        write_text(path, text)
    elif path.read_bytes() != text.encode():
        raise UsageError(f"{path} is not the demo's own", "name another folder with --out")
