"""``ragproof corpus``."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from ragproof.cli.console import keep_secret, one_line, redacted, say
from ragproof.cli.sources import chunk_options

if TYPE_CHECKING:
    from ragproof.corpus.chunk import ChunkSettings
    from ragproof.corpus.records import Chunk, Corpus
    from ragproof.corpus.settings import ReadSettings


@click.command("corpus", short_help="Show what of a corpus is read, and how it is chunked.")
@click.argument("location", metavar="CORPUS")
@click.option(
    "--include",
    multiple=True,
    metavar="GLOB",
    help="Read only files that match; may be given more than once.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="GLOB",
    help="Leave out files that match; may be given more than once.",
)
@click.option(
    "--max-file-bytes",
    type=click.IntRange(min=1),
    default=5_000_000,
    show_default=True,
    metavar="N",
    help="Skip larger files.",
)
@click.option(
    "--server",
    metavar="URL",
    help="The OpenViking server of a viking:// corpus; by default RAGPROOF_VIKING_URL. Its key is"
    " taken from RAGPROOF_VIKING_KEY.",
)
@chunk_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(location: str, as_json: bool, server: str | None, **given: Any) -> None:
    """Read CORPUS, a folder, a file or viking://scope/path, and show each document, each file that
    was skipped with the reason, what is not in the text of a file that was read, how the
    documents are chunked, and the fingerprint of all that was read."""
    from ragproof.corpus.chunk import ChunkSettings, chunk_corpus
    from ragproof.corpus.settings import ReadSettings

    chunking = ChunkSettings(given["chunk_size"], given["chunk_overlap"])
    settings = ReadSettings(
        include=given["include"],
        exclude=given["exclude"],
        max_file_bytes=given["max_file_bytes"],
    )
    corpus = open_location(location, settings, server)
    facts = _facts(corpus, chunk_corpus(corpus, chunking), chunking)
    if as_json:
        _print_json(facts)
    else:
        _print_text(location, facts)


def open_location(location: str, settings: "ReadSettings", server: str | None) -> "Corpus":
    """Read a corpus wherever it is, a key in the environment kept out of all output.

    The console then keeps no other secret, unless it kept this one before.

    Raises:
        CorpusError, ConfigError, EndpointError: it cannot be read, or nothing of it can.
    """
    from ragproof.corpus.locate import is_on_server, open_corpus

    if not is_on_server(location):
        return open_corpus(location, settings)
    from ragproof.cli.network import read_network
    from ragproof.corpus.viking import viking_server
    from ragproof.github.commands import workflow_command
    from ragproof.redact import Redactor

    found = viking_server(os.environ, server)
    if found.key and redacted(found.key) == found.key:
        redactor = Redactor([found.key])
        if os.environ.get("GITHUB_ACTIONS") == "true":
            for form in redactor.forms:
                click.echo(workflow_command("add-mask", form))
            sys.stdout.flush()  # before anything on standard error
        keep_secret(redactor)
    return open_corpus(location, settings, server=found, network=read_network(found.url))


def _facts(corpus: "Corpus", chunks: "list[Chunk]", settings: "ChunkSettings") -> dict[str, Any]:
    """All that is shown, as JSON has it."""
    from collections import Counter
    from statistics import median_low

    counts = Counter(chunk.document_id for chunk in chunks)
    sizes = sorted(len(chunk.text) for chunk in chunks)
    return {
        "fingerprint": corpus.fingerprint,
        "documents": [
            {
                "id": document.id,
                "format": document.format,
                "characters": len(document.text),
                **({"pages": len(document.pages)} if document.pages else {}),
                "chunks": counts[document.id],
                "sha256": document.hash,
                "warnings": list(document.warnings),
            }
            for document in corpus.documents
        ],
        "skipped": [one._asdict() for one in corpus.skipped],
        "chunks": {
            "size": settings.size,
            "overlap": settings.overlap,
            "count": len(chunks),
            "shortest": sizes[0],
            "median": median_low(sizes),
            "longest": sizes[-1],
            "characters": sum(sizes),
        },
    }


def _print_json(facts: dict[str, Any]) -> None:
    import json

    # As the runner of GitHub Actions reads them, two of these and a bracket begin a command.
    say(json.dumps(facts, indent=2).replace("##[", "##\\u005b"))


def _print_text(location: str, facts: dict[str, Any]) -> None:
    documents, skipped, chunks = facts["documents"], facts["skipped"], facts["chunks"]
    warnings = [(one["id"], text) for one in documents for text in one["warnings"]]
    characters = sum(one["characters"] for one in documents)
    say(f"corpus {location}: {_count(len(documents), 'document')} read", bold=True)
    for one in documents:
        pages = f", {_count(one['pages'], 'page')}" if "pages" in one else ""
        say(
            f"  {one_line(one['id'])}: {one['format']}{pages},"
            f" {_count(one['characters'], 'character')}, {_count(one['chunks'], 'chunk')}"
        )
    if skipped:
        say(f"\nskipped: {len(skipped):,}", bold=True)
        for one in skipped:
            say(f"  {one_line(one['id'])} {one_line(one['reason'])}", colour="yellow")
    if warnings:
        say(f"\nwarnings: {len(warnings):,}", bold=True)
        for name, text in warnings:
            say(f"  {one_line(name)}: {one_line(text)}", colour="yellow")
    say(
        f"\nchunks: {chunks['count']:,}, of {chunks['shortest']:,} to {chunks['longest']:,}"
        f" characters, half of them at most {chunks['median']:,}"
        f" (--chunk-size {chunks['size']}, --chunk-overlap {chunks['overlap']})"
    )
    say(f"characters: {characters:,}, of which chunks hold {chunks['characters']:,} with overlap")
    say(f"fingerprint: {facts['fingerprint']}")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
