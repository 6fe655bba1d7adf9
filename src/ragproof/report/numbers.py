"""Numbers as people read them: short, but never so short that they mislead."""

from math import isclose

from ragproof.metrics import METRICS


def number(value: float, *bounds: float, exact: bool = False) -> str:
    """Four decimals, or as many as it takes to stand on the right side of each bound.

    0 and 1 are bounds always: what is not all or nothing never looks so. A value equal
    to a bound but for the last bits counts as equal, unless it is ``exact``: it was
    judged to miss its threshold, so it has to look like it.
    """
    bounds = (0.0, 1.0, *bounds)
    sides = [_side(value, bound, exact) for bound in bounds]
    for digits in range(4, 18):
        text = f"{value:.{digits}f}"
        if [_side(float(text), bound, exact) for bound in bounds] == sides:
            return text
    return repr(float(value))


def threshold(low: float | None, high: float | None) -> str:
    """``≥ 0.8``, ``≤ 2``, or both."""
    signed = (("≥", low), ("≤", high))
    return " and ".join(f"{sign} {_short(bound)}" for sign, bound in signed if bound is not None)


def unit(metric: str) -> str:
    """What is written behind a value of this metric: `` s`` or nothing."""
    known = METRICS.get(metric.partition("[")[0].partition("@")[0])
    return f" {known.unit}" if known and known.unit else ""


def count(number_of: int, noun: str) -> str:
    """``1 case``, ``2 cases``."""
    return f"{number_of:,} {noun}{'' if number_of == 1 else 's'}"


def _short(bound: float) -> str:
    return str(bound).removesuffix(".0")


def _side(value: float, bound: float, exact: bool) -> int:
    if value == bound or (not exact and isclose(value, bound, rel_tol=1e-9, abs_tol=1e-9)):
        return 0
    return 1 if value > bound else -1
