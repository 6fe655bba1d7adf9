"""The sign-flip test: known answers, exactness, and the error rate it promises."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragproof.stats import signflip
from ragproof.stats.multiple import holm
from ragproof.stats.signflip import drop_p_value

DIFFERENCES = st.lists(
    st.sampled_from([0.0, 0.5, -0.5, 1.0, -1.0, 1 / 3, -1 / 3, 0.25, -0.25]), max_size=9
)


def names(count: int) -> list[str]:
    return [f"case-{number}" for number in range(count)]


def signed(differences: list[float]) -> dict[str, float]:
    pairs = zip(names(len(differences)), differences, strict=True)
    return {name: each for name, each in pairs if each}


def brute(magnitudes: list[float], total: float) -> tuple[float, float]:
    """Below and at, by all choices of signs."""
    sums = [
        math.fsum(sign * each for sign, each in zip(signs, magnitudes, strict=True))
        for signs in itertools.product((-1, 1), repeat=len(magnitudes))
    ]
    below = sum(each < total - 1e-9 for each in sums)
    at = sum(abs(each - total) <= 1e-9 for each in sums)
    return below / len(sums), at / len(sums)


@pytest.mark.parametrize(
    ("worse", "better", "plain"),
    [  # the one-sided exact sign test, by the binomial distribution
        (8, 0, 1 / 256),
        (5, 0, 1 / 32),
        (10, 2, 79 / 4096),
        (9, 3, 299 / 4096),
    ],
)
def test_scores_of_0_and_1_give_the_sign_test(worse: int, better: int, plain: float) -> None:
    differences = [-1.0] * worse + [1.0] * better
    tail = signflip._halved(signed(differences), better - worse)
    assert tail.plain == pytest.approx(plain)
    p_value = drop_p_value([*differences, *[0.0] * 40], names(worse + better + 40))
    assert plain / 2 <= p_value <= plain


def test_eight_of_sixty_worse_and_none_better_is_a_drop() -> None:
    assert drop_p_value([-1.0] * 8 + [0.0] * 52, names(60)) < 0.004


@given(DIFFERENCES)
def test_it_is_exact(differences: list[float]) -> None:
    below, at = brute([abs(each) for each in differences if each], math.fsum(differences))
    found = {name: round(each, 10) for name, each in signed(differences).items()}
    if math.fsum(differences) < 0:
        groups: dict[float, list[tuple[str, bool]]] = {}
        for name, each in found.items():
            groups.setdefault(abs(each), []).append((name, each < 0))
        for tail in (
            signflip._halved(found, math.fsum(found.values())),
            signflip._counted(groups),
        ):
            assert tail.plain == pytest.approx(below + at)
            assert below - 1e-9 <= tail.ordered <= tail.plain + 1e-9


@pytest.mark.parametrize(
    "magnitudes", [[1.0] * 9, [1.0] * 4 + [0.5] * 5, [1 / 3] * 3 + [0.25, 0.75, 1.0, 1.0]]
)
@pytest.mark.parametrize("level", [0.01, 0.02, 0.05, 0.1])
def test_the_level_is_reached_but_never_passed(magnitudes: list[float], level: float) -> None:
    """Over all choices of signs, each as likely as any: as near as one choice comes."""
    ids = names(len(magnitudes))
    found = Counter[str]()
    for signs in itertools.product((-1, 1), repeat=len(magnitudes)):
        each = [sign * size for sign, size in zip(signs, magnitudes, strict=True)]
        by_size: dict[float, list[tuple[str, bool]]] = {}
        for name, one in zip(ids, each, strict=True):
            by_size.setdefault(abs(round(one, 10)), []).append((name, one < 0))
        for way, tail in (
            ("all", signflip._halved(dict(zip(ids, each, strict=True)), sum(each))),
            ("sums", signflip._counted(by_size)),
        ):
            found[way] += tail.ordered <= level
    choices = 2 ** len(magnitudes)
    for way in ("all", "sums"):
        assert level - 1 / choices <= found[way] / choices <= level


@pytest.mark.parametrize("share", [1.0, 1.7, 2.4])
@pytest.mark.parametrize("power", [1, 4])
def test_the_approximations_are_close(share: float, power: int) -> None:
    rng = random.Random(7)
    magnitudes = [rng.random() ** power for _ in range(22)]
    total = -share * math.sqrt(sum(each * each for each in magnitudes))
    exact = signflip._halved(signed(magnitudes), total).plain
    saddle = signflip._saddle(Counter(magnitudes), total)
    assert saddle == pytest.approx(exact, abs=0.01)
    assert signflip._edgeworth(Counter(magnitudes), total) == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: float(rng.random() < 0.15),
        lambda rng: rng.choice([0, 0, 0.5, 1 / 3, 0.25, 1]),
        lambda rng: rng.choice([0, rng.random()]),
        lambda rng: rng.lognormvariate(0, 1.2),
    ],
    ids=["0 or 1", "recall", "ndcg", "latency"],
)
@pytest.mark.parametrize("cases", [20, 60, 400])
def test_an_unchanged_system_seldom_fails(
    draw: Callable[[random.Random], float], cases: int
) -> None:
    """Whichever way each pair is turned, at most 5 % are taken for a drop: here, and three
    standard errors of so few runs."""
    rng = random.Random(cases)
    base = [draw(rng) for _ in range(cases)]
    runs = 1500
    alarms = sum(
        drop_p_value([rng.choice((-1, 1)) * each for each in base], names(cases)) <= 0.05
        for _ in range(runs)
    )
    assert alarms / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


def test_the_level_is_nearly_reached_where_few_differ() -> None:
    """At 20 cases that differ the plain sign test alarms 2.1 % of the time."""
    rng = random.Random(3)
    runs = 4000
    alarms = sum(
        drop_p_value([rng.choice((-1.0, 1.0)) for _ in range(20)], names(20)) <= 0.05
        for _ in range(runs)
    )
    assert alarms / runs == pytest.approx(0.05, abs=0.01)


@given(DIFFERENCES)
@settings(max_examples=200)
def test_what_can_be_relied_on(differences: list[float]) -> None:
    ids = names(len(differences))
    p_value = drop_p_value(differences, ids)
    assert 0 <= p_value <= 1
    assert p_value == drop_p_value(differences, ids)
    assert drop_p_value([abs(each) for each in differences], ids) == 1.0
    assert drop_p_value([*differences, 0.0], [*ids, "new"]) == p_value, "a case that stayed"
    order = sorted(range(len(ids)), key=lambda index: (index * 7) % 11)
    turned = drop_p_value([differences[i] for i in order], [ids[i] for i in order])
    assert turned == pytest.approx(p_value)
    worse = drop_p_value([*differences, -1.0], [*ids, "worse"])
    assert worse <= min(1, 2 * p_value) + 1e-12


def test_a_drop_that_is_allowed() -> None:
    differences = [-0.1] * 30 + [0.0] * 30
    assert drop_p_value(differences, names(60)) < 0.001
    assert drop_p_value(differences, names(60), max_drop=0.06) == 1.0
    assert drop_p_value(differences, names(60), max_drop=0.02) < 0.01


@pytest.mark.parametrize("count", [100, 5000])
def test_many_cases(count: int) -> None:
    rng = random.Random(1)
    worse = [rng.gauss(-0.1, 0.3) for _ in range(count)]
    assert drop_p_value(worse, names(count)) < 0.01
    assert drop_p_value([-each for each in worse], names(count)) == 1.0


def test_every_case_worse_by_another_amount() -> None:
    count = 40
    differences = [-0.01 * (number + 1) for number in range(count)]
    assert drop_p_value(differences, names(count)) == pytest.approx(0.5**count)


def test_holm() -> None:
    # The example of Holm's procedure: the smallest times their number, then rising.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]
