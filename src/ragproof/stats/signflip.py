"""Was there a drop? The sign-flip test on paired differences.

If nothing changed, each difference is as likely with one sign as with the other, so the sum of all
differences is compared with its distribution over all ways to choose the signs (R. A. Fisher, The
Design of Experiments, 1935, section 21). This holds exactly for any scores, with any ties, from
the first case on. For scores of 0 and 1 it is the sign test, that is McNemar's exact test.

Where few cases differ, many choices of signs give the same sum, and the test would rarely reach
its level: at 5 % it would cry wolf only 2 % of the time, and miss real drops as much more often.
So choices with the same sum are put in an order that no system can know, by a hash of the cases'
ids: by it the level is reached and never passed, and the same scores always give the same p-value.
That is never less than half of the plain one, so a verdict hangs on the order only where the
plain test comes close to it.
"""

import hashlib
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

_HALVES = 24
"""Up to so many cases that differ all choices are counted, in two halves."""
_STATES = 20_000
"""Up to so many sums are kept where magnitudes repeat."""
_SADDLE = 2_500
"""Up to so many different magnitudes the saddle point is sought; beyond, moments are enough."""
_DIGITS = 10
_EQUAL = 1e-6
"""Sums that differ by less are the same: thirds do not add up to one exactly."""
_TILT = 1e-7
"""What the order among equal sums may add to a sum."""
_NORMAL = NormalDist()


class Tail(NamedTuple):
    """The chance of a sum as low as the observed one.

    ``plain``: of one that is lower or the same; ``ordered``: the same, without those of the
    same sum that come later in the order.
    """

    plain: float
    ordered: float


def drop_p_value(differences: Sequence[float], ids: Iterable[str], max_drop: float = 0.0) -> float:
    """The one-sided p-value against "the mean fell by no more than ``max_drop``".

    Args:
        differences: New score minus old, one for each case that both runs scored; turned round
            for metrics of which less is better.
        ids: The cases' ids, in the same order.
        max_drop: The drop that is allowed, from 0, in units of the score.

    Returns:
        From 0 to 1; 1 where no difference speaks for a drop.
    """
    shifted = [round(each + max_drop, _DIGITS) for each in differences]
    total = math.fsum(shifted)
    if not total < 0:
        return 1.0
    tail = _tail({name: each for name, each in zip(ids, shifted, strict=True) if each}, total)
    return min(1.0, max(tail.plain / 2, tail.ordered))


def _tail(signed: Mapping[str, float], total: float) -> Tail:
    """Exact where few cases differ, or few magnitudes; else the saddle point approximation of
    Lugannani and Rice (1980), which Robinson (1982) gives for this very distribution, and for
    thousands of magnitudes the normal one with Edgeworth's term for the fourth moment. There
    sums are hardly ever the same.
    """
    if len(signed) <= _HALVES:
        return _halved(signed, total)
    groups: dict[float, list[tuple[str, bool]]] = {}
    for name, each in signed.items():
        groups.setdefault(abs(each), []).append((name, each < 0))
    if math.prod(len(group) + 1 for group in groups.values()) <= _STATES:
        return _counted(groups)
    counts = {magnitude: len(group) for magnitude, group in groups.items()}
    chance = (_saddle if len(counts) <= _SADDLE else _edgeworth)(counts, total)
    return Tail(chance, chance)


def _halved(signed: Mapping[str, float], total: float) -> Tail:
    """By all choices of signs, as pairs of choices for either half."""
    tilt = _TILT / len(signed)
    tilted = {name: each * (1 + tilt * _order(name)) for name, each in signed.items()}
    values = [abs(each) for each in tilted.values()]
    middle = len(values) // 2
    left, right = _all_sums(values[:middle]), sorted(_all_sums(values[middle:]))

    def up_to(limit: float) -> float:
        found = sum(bisect_right(right, limit - each) for each in left)
        return found / 2.0 ** len(values)

    # A hair above, for the sum of either half is rounded.
    return Tail(up_to(total + _EQUAL), up_to(math.fsum(tilted.values()) + 1e-13))


def _counted(groups: Mapping[float, list[tuple[str, bool]]]) -> Tail:
    """By the distribution of the sum, magnitude by magnitude.

    Sums of other numbers of cases of each magnitude are told apart by a tilt of magnitudes;
    within the same numbers, cases are taken in their order.
    """
    sums = {0.0: 1.0}
    total, place, share = 0.0, 0.0, 1.0
    for magnitude, group in sorted(groups.items()):
        count, worse = len(group), sum(down for _, down in group)
        tilted = magnitude * (1 + _TILT / len(groups) / count * _order(repr(magnitude)))
        total += tilted * (count - 2 * worse)
        grown: dict[float, float] = {}
        chances = [(tilted * (2 * up - count), _binomial(count, up)) for up in range(count + 1)]
        for at, chance in sums.items():
            for step, likely in chances:
                key = at + step
                grown[key] = grown.get(key, 0.0) + chance * likely
        sums = grown
        within, single = _rank(group, worse)
        place, share = place + share * within, share * single
    edge = _TILT / 1e5
    at = math.fsum(chance for each, chance in sums.items() if abs(each - total) <= edge)
    below = math.fsum(chance for each, chance in sums.items() if each < total - edge)
    plain = math.fsum(chance for each, chance in sums.items() if each <= total + _EQUAL)
    return Tail(plain, below + at * min(1.0, place + share))


def _rank(group: list[tuple[str, bool]], worse: int) -> tuple[float, float]:
    """Where a choice stands among all with as many worse cases, from 0, and the share of one."""
    place, share, left = 0.0, 1.0, len(group)
    for _, down in sorted((_order(name), down) for name, down in group):
        chance = worse / left
        if down:
            share *= chance
            worse -= 1
        else:
            place += share * chance
            share *= 1 - chance
        left -= 1
    return place, share


def _all_sums(values: list[float]) -> list[float]:
    sums = [0.0]
    for value in values:
        sums = [each + sign for each in sums for sign in (-value, value)]
    return sums


def _saddle(magnitudes: Mapping[float, int], total: float) -> float:
    """Lugannani and Rice's formula; the logarithm of the sum's moments is a sum of log cosh."""
    pairs = list(magnitudes.items())
    largest = math.fsum(value * count for value, count in pairs)
    if total <= -largest * (1 - 1e-9):
        return 0.5 ** sum(count for _, count in pairs)
    variance = math.fsum(value * value * count for value, count in pairs)
    if -total < 1e-3 * math.sqrt(variance):  # the formula divides by what is nought there
        return _edgeworth(magnitudes, total)
    point = total / variance
    low, high = -math.inf, 0.0
    for _ in range(60):
        slopes = [(value, count, math.tanh(point * value)) for value, count in pairs]
        excess = math.fsum(value * count * slope for value, count, slope in slopes) - total
        bend = math.fsum(
            value * value * count * (1 - slope * slope) for value, count, slope in slopes
        )
        if excess > 0:
            high = min(high, point)
        else:
            low = max(low, point)
        step = excess / bend if bend > 0 else math.inf
        following = point - step
        if not low < following < high:
            following = 2 * point if low == -math.inf else (low + high) / 2
        if abs(following - point) <= 1e-9 * abs(point):
            break
        point = following
    cumulant = math.fsum(count * _log_cosh(point * value) for value, count in pairs)
    root = -math.sqrt(2 * max(0.0, point * total - cumulant))
    spread = point * math.sqrt(bend)
    chance = _NORMAL.cdf(root) + _NORMAL.pdf(root) * (1 / root - 1 / spread)
    return min(1.0, max(0.0, chance))


def _edgeworth(magnitudes: Mapping[float, int], total: float) -> float:
    second = math.fsum(value**2 * count for value, count in magnitudes.items())
    fourth = math.fsum(value**4 * count for value, count in magnitudes.items())
    z = total / math.sqrt(second)
    excess = -2 * fourth / second**2
    chance = _NORMAL.cdf(z) - _NORMAL.pdf(z) * excess / 24 * (z**3 - 3 * z)
    return min(1.0, max(0.0, chance))


def _log_cosh(value: float) -> float:
    size = abs(value)
    return size + math.log1p(math.exp(-2 * size)) - math.log(2)


def _binomial(count: int, up: int) -> float:
    """The chance of ``up`` heads in ``count`` throws of a fair coin."""
    log = math.lgamma(count + 1) - math.lgamma(up + 1) - math.lgamma(count - up + 1)
    return math.exp(log - count * math.log(2))


def _order(name: str) -> float:
    """A number from 0 to 1 that a name stands for."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / 2**56
