"""Retrieval metrics with binary gain, as trec_eval defines them.

All work on the ranks (from 1, rising) at which relevant items stand, and on the
number of gold items. Nothing relevant retrieved is 0; no gold item is no case of
theirs and does not get here.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache


def precision(ranks: Sequence[int], k: int) -> float:
    """Share of the first ``k`` ranks that hold a relevant item; fewer returned still divide by k.

    Range 0 to 1, higher is better. Source: trec_eval ``P_k``.
    """
    return bisect_right(ranks, k) / k


def recall(found: int, gold: int) -> float:
    """Share of all gold items found (within the first k ranks).

    Range 0 to 1, higher is better. Source: trec_eval ``recall_k``.
    """
    return found / gold


def hit(ranks: Sequence[int], k: int) -> float:
    """1 if any of the first ``k`` ranks holds a relevant item, else 0.

    Range 0 to 1, higher is better. Source: trec_eval ``success_k``.
    """
    return 1.0 if ranks and ranks[0] <= k else 0.0


def reciprocal_rank(ranks: Sequence[int], k: int | None = None) -> float:
    """1 / rank of the first relevant item, 0 if there is none (within the first ``k``).

    Range 0 to 1, higher is better. Source: trec_eval ``recip_rank``; its mean is MRR.
    """
    if not ranks or (k is not None and ranks[0] > k):
        return 0.0
    return 1.0 / ranks[0]


def average_precision(ranks: Sequence[int], gold: int, k: int | None = None) -> float:
    """Mean over all gold items of the precision at their rank, 0 for those not retrieved.

    Divides by all gold items, also under a cut-off. Range 0 to 1, higher is better.
    Source: trec_eval ``map``, ``map_cut_k``.
    """
    within = ranks if k is None else ranks[: bisect_right(ranks, k)]
    return math.fsum(number / rank for number, rank in enumerate(within, 1)) / gold


def ndcg(ranks: Sequence[int], gold: int, k: int | None = None) -> float:
    """Gain of the relevant items, discounted by log2(rank + 1), over that of the best order.

    Range 0 to 1, higher is better. Source: Järvelin and Kekäläinen (2002); trec_eval
    ``ndcg``, ``ndcg_cut_k`` with binary gain.
    """
    within = ranks if k is None else ranks[: bisect_right(ranks, k)]
    if not within:
        return 0.0
    best = gold if k is None else min(gold, k)
    return math.fsum(map(_discount, within)) / _ideal(best)


@lru_cache(maxsize=4096)
def _discount(rank: int) -> float:
    return 1.0 / math.log2(rank + 1)


@lru_cache(maxsize=4096)
def _ideal(items: int) -> float:
    return math.fsum(_discount(rank) for rank in range(1, items + 1))
