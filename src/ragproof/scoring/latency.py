"""Latency of the endpoint over all cases that were answered."""

import math
from collections.abc import Sequence


def percentile(rising: Sequence[float], share: float) -> float:
    """The smallest value with at least ``share`` of all values at or below it (nearest rank).

    ``rising`` is sorted and not empty. Range 0 up, in the unit of the values, lower is
    better. Source: Hyndman and Fan (1996), definition 1.
    """
    return rising[max(0, math.ceil(share * len(rising)) - 1)]


def aggregate(rising: Sequence[float], name: str) -> float:
    """``p50``, ``p95`` or ``max`` of sorted values."""
    return percentile(rising, {"p50": 0.5, "p95": 0.95, "max": 1.0}[name])
