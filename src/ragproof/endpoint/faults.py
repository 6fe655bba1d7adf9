"""Telling apart what can go wrong below HTTP."""

import socket
import ssl
from collections.abc import Iterator

import requests
from urllib3 import exceptions as u

from ragproof.records import FailureKind


def classify(error: BaseException, timeout_s: float) -> tuple[FailureKind, str]:
    """The kind of failure that an exception of the HTTP stack stands for, and a sentence.

    The sentence may quote what the endpoint sent.
    """
    causes = list(_causes(error))
    for types, kind, message in (
        (
            (u.ProxyError, requests.exceptions.ProxyError),
            FailureKind.REFUSED,
            "the proxy refuses the connection",
        ),
        (
            (socket.gaierror, u.NameResolutionError),
            FailureKind.UNRESOLVED,
            "the host name does not resolve",
        ),
        (
            (ssl.SSLCertVerificationError,),
            FailureKind.TLS,
            "the certificate is not trusted; name the CA with endpoint.ca_file",
        ),
        (
            (ssl.SSLEOFError, ssl.SSLZeroReturnError),
            FailureKind.CUT,
            "the connection is cut",
        ),
        ((ssl.SSLError, u.SSLError), FailureKind.TLS, "the TLS handshake fails"),
        ((ConnectionRefusedError,), FailureKind.REFUSED, "the connection is refused"),
        (
            (u.TimeoutError, TimeoutError, requests.Timeout),
            FailureKind.TIMEOUT,
            f"no complete answer within {timeout_s:g} s",
        ),
        ((u.DecodeError,), FailureKind.CUT, "the compressed body cannot be decoded"),
        (
            (u.InvalidHeader, requests.exceptions.InvalidHeader),
            FailureKind.CUT,
            "the response is no HTTP",
        ),
        ((u.IncompleteRead,), FailureKind.CUT, "the body ends before its announced length"),
        ((u.ProtocolError, ConnectionError), FailureKind.CUT, "the connection is cut"),
        ((u.NewConnectionError, OSError), FailureKind.REFUSED, "no connection"),
    ):
        found = [one for one in causes if isinstance(one, types)]
        if found:
            # The innermost says it without the address and the question.
            details = "" if kind is FailureKind.TIMEOUT else f" ({_words(found[-1])})"
            return kind, message + details
    return FailureKind.CUT, _words(error)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception with all those it was raised from or wraps."""
    waiting, seen = [error], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        inner = [one.__cause__, one.__context__, getattr(one, "reason", None), *one.args]
        waiting.extend(item for item in inner if isinstance(item, BaseException))


def _words(error: BaseException) -> str:
    inner = next((item for item in error.args if isinstance(item, BaseException)), None)
    if inner is not None:
        return _words(inner)
    # urllib3 puts the object that failed, with its address in memory, before its message.
    text = str(error).rpartition(">: ")[2].rpartition("): ")[2]
    return text or type(error).__name__
