"""Exact sums of doubles over ranges of rows, in constant time per range.

A running sum of doubles drifts and depends on where batches were cut. Here every double is cut into 32-bit limbs at
fixed positions; prefix sums of limbs are exact in 64-bit integers, their differences are the exact sums of ranges,
and each is rounded once, half to even: the result is `math.fsum` of the range. Source: Kulisch, "Very fast and exact
accumulation of products" (2011), the long accumulator, here as columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..frames import Bools, Floats, Ints

__all__ = ["LIMB", "BigNumbers", "as_integers", "sum_ranges", "sum_scaled"]

LIMB = 32
_MASK = (1 << LIMB) - 1
_LOWEST = -1152  # a multiple of 32 below the exponent of every `mantissa * 2**exponent`
_MOST_BITS = 62


@dataclass(frozen=True, slots=True)
class BigNumbers:
    """Whole numbers of any length times a power of two: `± sum(limbs[i] * 2**(32 i)) * 2**exponent`.

    Attributes:
        limbs: uint64[limb, number], each below 2**32, least significant first.
        negative: their signs.
        exponent: one for all.
    """

    limbs: npt.NDArray[np.uint64]
    negative: Bools
    exponent: int

    def rounded(self) -> tuple[Floats, Ints]:
        """`(f, e)` such that `f * 2**e` is the number rounded half to even to 53 bits."""
        limbs = np.concatenate([np.zeros((2, self.limbs.shape[1]), np.uint64), self.limbs])
        used = limbs != 0
        top = np.maximum(len(limbs) - 1 - np.argmax(used[::-1], axis=0), 2)
        column = np.arange(limbs.shape[1])
        high, middle, low = limbs[top, column], limbs[top - 1, column], limbs[top - 2, column]
        below = used.any(axis=0) & (np.argmax(used, axis=0) < top - 2)
        spare = (LIMB - np.frexp(high.astype(np.float64))[1]).astype(np.uint64)
        spare = np.minimum(spare, LIMB - 1)
        bits = (((high << LIMB) | middle) << spare) | (low >> (LIMB - spare))
        rest = ((low << spare) & _MASK) != 0
        bits |= (rest | below).astype(np.uint64)  # a bit below the rounding place, so that no tie is mistaken
        value = bits.astype(np.float64)
        shift = self.exponent + LIMB * (top - 3) - spare.astype(np.int64)
        return np.where(self.negative, -value, value), shift

    def doubles(self) -> Floats:
        """The nearest doubles, half to even; infinite beyond the greatest."""
        value, shift = self.rounded()
        with np.errstate(over="ignore"):
            return np.ldexp(value, shift.astype(np.int32))


def sum_ranges(values: Floats, start: Ints, end: Ints) -> Floats:
    """The correctly rounded exact sums of `values[start[i]:end[i]]`, as `math.fsum` has them.

    Infinities and NaN behave as in any sum; a sum beyond the greatest double is infinite.
    """
    finite = np.isfinite(values)
    if finite.all():
        return _sum_finite(values, start, end)
    total = _sum_finite(np.where(finite, values, 0.0), start, end)
    up, down, nan = (_count(mask, start, end) for mask in (values == np.inf, values == -np.inf, np.isnan(values)))
    total[up > 0] = np.inf
    total[down > 0] = -np.inf
    total[(nan > 0) | ((up > 0) & (down > 0))] = np.nan
    return total


def _count(mask: Bools, start: Ints, end: Ints) -> Ints:
    return _differences(mask.astype(np.int64), start, end)


def _sum_finite(values: Floats, start: Ints, end: Ints) -> Floats:
    scaled = as_integers(values)
    if scaled is not None:
        integers, exponent_of_all = scaled
        before = np.concatenate([[0], np.cumsum(integers)])
        total: Floats = np.ldexp((before[end] - before[start]).astype(np.float64), exponent_of_all)
        return total
    fraction, exponents = np.frexp(values)
    mantissa, exponent = np.ldexp(fraction, 53).astype(np.int64), exponents.astype(np.int64) - 53
    near = _sum_near(mantissa, exponent, start, end)
    return sum_scaled(mantissa, exponent, start, end).doubles() if near is None else near


def _sum_near(mantissa: Ints, exponent: Ints, start: Ints, end: Ints) -> Floats | None:
    """Sums of doubles of similar size in two 64-bit integers; `None`: their sizes are too different for that."""
    used = exponent[mantissa != 0]
    lowest, highest = int(used.min()), int(used.max())
    spare = len(mantissa).bit_length()
    low_bits = _MOST_BITS - spare
    if highest - lowest > low_bits or 53 + highest - lowest - low_bits + spare > _MOST_BITS or lowest < -1074:
        return None
    shift = np.where(mantissa == 0, 0, exponent - lowest)
    high = mantissa >> (low_bits - shift)
    low = (mantissa - (high << (low_bits - shift))) << shift
    highs, lows = (_differences(part, start, end) for part in (high, low))
    highs, lows = highs + (lows >> low_bits), lows & ((1 << low_bits) - 1)
    return _rounded_pair(highs, lows, low_bits, lowest)


def _differences(parts: Ints, start: Ints, end: Ints) -> Ints:
    before: Ints = np.concatenate([[0], np.cumsum(parts)])
    return before[end] - before[start]


def _rounded_pair(high: Ints, low: Ints, low_bits: int, exponent: int) -> Floats:
    """`(high * 2**low_bits + low) * 2**exponent`, rounded once: 62 bits and one that says whether others follow."""
    size = np.frexp(high.astype(np.float64))[1].astype(np.int64)
    more = np.clip(_MOST_BITS - size, 0, low_bits)
    cut = low_bits - more
    bits = (high << more) | (low >> cut)
    bits |= (low & ((1 << cut) - 1)) != 0
    with np.errstate(over="ignore"):
        rounded: Floats = np.ldexp(bits.astype(np.float64), (exponent + cut).astype(np.int32))
    return rounded


def as_integers(values: Floats) -> tuple[Ints, int] | None:
    """The values as integers times a power of two, if there is one such that all their sums fit into 64 bits.

    Readings often are multiples of one small power of two.

    Returns:
        The integers and the exponent; `None`: there is none, or not all are finite.
    """
    if not np.isfinite(values).all():
        return None
    highest = int(np.frexp(np.abs(values).max(initial=0.0))[1]) + len(values).bit_length()
    for lowest in (0, -1, -10, highest - _MOST_BITS):
        if highest - lowest > _MOST_BITS or not -1022 <= lowest <= 0:
            continue
        scaled = np.ldexp(values, -lowest)
        integers = scaled.astype(np.int64)
        if (integers == scaled).all():
            return integers, lowest
    return None


def sum_scaled(mantissa: Ints, exponent: Ints, start: Ints, end: Ints, lowest: int = _LOWEST) -> BigNumbers:
    """The exact sums of `mantissa[j] * 2**exponent[j]` over `start[i] <= j < end[i]`.

    Args:
        mantissa: below 2**54 in size; fewer than 2**29 of them.
        exponent: at least `lowest`.
        start: first rows.
        end: rows behind the last.
        lowest: exponent of the limb at position 0, a multiple of 32.
    """
    position = exponent - lowest
    limb, shift = position >> 5, position & (LIMB - 1)
    zero = mantissa == 0
    low, high = (mantissa & _MASK) << shift, (mantissa >> LIMB) << shift
    parts = (low & _MASK, (low >> LIMB) + (high & _MASK), high >> LIMB)
    first = int(limb[~zero].min()) if not zero.all() else 0
    last = int(limb[~zero].max()) if not zero.all() else 0
    carry = np.zeros(len(start), np.int64)
    limbs = []
    occupied = set(np.unique(limb[~zero]).tolist())
    for place in range(first, last + 5):  # three limbs of a double, two more for the carries
        if not occupied.isdisjoint((place, place - 1, place - 2)):
            own = sum(np.where(limb == place - k, part, 0) for k, part in enumerate(parts))
            before = np.concatenate([[0], np.cumsum(own)])
            carry = carry + before[end] - before[start]
        limbs.append(carry & _MASK)
        carry = carry >> LIMB
    return _signed(np.stack(limbs).astype(np.uint64), carry < 0, lowest + LIMB * first)


def _signed(limbs: npt.NDArray[np.uint64], negative: Bools, exponent: int) -> BigNumbers:
    """From two's complement to sign and magnitude."""
    limbs[:, negative] ^= np.uint64(_MASK)
    carry = negative.astype(np.uint64)
    for place in range(len(limbs)):
        carry = carry + limbs[place]
        limbs[place] = carry & np.uint64(_MASK)
        carry = carry >> np.uint64(LIMB)
    return BigNumbers(limbs, negative, exponent)
