"""Several metrics at once."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted so that the chance of any false alarm at all stays at the level.

    S. Holm, A simple sequentially rejective multiple test procedure, 1979. It needs nothing of
    how the metrics depend on each other.

    Args:
        p_values: From 0 to 1, in any order.

    Returns:
        Adjusted p-values in the same order, each from 0 to 1.
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
