"""The line that tells our own comment from all others, and which run wrote it.

It is an HTML comment, so nobody sees it. What a comment says below its first line may come
from a stranger, so only the first line counts.
"""

import re
from typing import NamedTuple
from urllib.parse import quote, unquote

_NAME = "ragproof"
_LINE = re.compile(
    rf"<!-- {_NAME} key=([A-Za-z0-9%._~]*) head=([A-Za-z0-9%._~]*)"
    r" run=([0-9]{1,18}) attempt=([0-9]{1,18}) -->"
)


class Marker(NamedTuple):
    """What a comment is about and who wrote it.

    ``key`` tells comments of several jobs on one pull request apart; ``head`` is the commit
    that was judged; ``run_id`` and ``attempt`` count from 1 and grow with time.
    """

    key: str
    head: str
    run_id: int
    attempt: int


def format_marker(marker: Marker) -> str:
    """The marker as one line without its end."""
    return (
        f"<!-- {_NAME} key={_plain(marker.key)} head={_plain(marker.head)}"
        f" run={marker.run_id} attempt={marker.attempt} -->"
    )


def parse_marker(body: str) -> Marker | None:
    """The marker that is the first line of a comment's body; ``None`` if that is none."""
    # GitHub may send back line ends as a browser would have sent them.
    found = _LINE.fullmatch(body.partition("\n")[0].removesuffix("\r"))
    if found is None:
        return None
    key, head, run_id, attempt = found.groups()
    try:
        return Marker(_text(key), _text(head), int(run_id), int(attempt))
    except UnicodeDecodeError:
        return None


def is_older(marker: Marker, than: Marker) -> bool:
    """Whether a run began before another, or is an earlier attempt of the same."""
    return (marker.run_id, marker.attempt) < (than.run_id, than.attempt)


def _plain(text: str) -> str:
    """Text that ends no comment: ``-`` is no reserved character but two of them would."""
    return quote(text, safe="", errors="surrogatepass").replace("-", "%2D")


def _text(plain: str) -> str:
    return unquote(plain, errors="surrogatepass")
