"""Sample standard deviations from exact sums: no cancellation, whatever the mean."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..frames import Bools, Floats, Ints
from .exact_sum import LIMB, BigNumbers, as_integers, sum_scaled

__all__ = ["deviations"]

_MASK = np.uint64((1 << LIMB) - 1)
_LOWEST = -1152
_HALF = 27
_EXACT = 2.0**26  # its square is exact in a double

_Limbs = npt.NDArray[np.uint64]


def deviations(values: Floats, count: Ints, start: Ints, end: Ints) -> Floats:
    """`sqrt((n Σx² − (Σx)²) / (n (n − 1)))`, the variance exact and rounded once.

    Args:
        values: 0 where unbound.
        count: how many values each range holds; below 2 the result means nothing.
        start: first rows.
        end: rows behind the last.

    Returns:
        NaN for ranges that hold NaN or an infinity.
    """
    quick = _of_small_integers(values, count, start, end)
    if quick is not None:
        return quick
    finite = np.isfinite(values)
    fraction, exponent = np.frexp(np.where(finite, values, 0.0))
    mantissa, power = np.ldexp(fraction, 53).astype(np.int64), exponent.astype(np.int64) - 53
    sums = sum_scaled(mantissa, power, start, end, _LOWEST)
    squares = _sum_of_squares(mantissa, power, start, end)
    n = np.maximum(count, 2)
    variance = _quotient(_quotient(_difference(_times(squares, n), _square(sums)), n, more=6), n - 1, more=0)
    value, shift = variance.rounded()
    odd = shift & 1
    root = np.sqrt(np.ldexp(value, odd.astype(np.int32)))
    found = np.ldexp(root, ((shift - odd) >> 1).astype(np.int32))
    strange = np.concatenate([[0], np.cumsum(~finite)])
    return np.where(strange[end] > strange[start], np.nan, found)


def _of_small_integers(values: Floats, count: Ints, start: Ints, end: Ints) -> Floats | None:
    """Readings in whole steps of a power of two: numerator and denominator are exact doubles, divided once."""
    most = float(np.abs(values).max(initial=0.0)) * float(count.max(initial=2))
    scaled = as_integers(values) if most < _EXACT else None
    if scaled is None or np.ldexp(most, -scaled[1]) >= _EXACT:
        return None
    integers, exponent = scaled
    first, second = (np.concatenate([[0], np.cumsum(x)]) for x in (integers, integers * integers))
    n = np.maximum(count, 2)
    numerator = n * (second[end] - second[start]) - (first[end] - first[start]) ** 2
    found: Floats = np.ldexp(np.sqrt(numerator / (n * (n - 1))), exponent)
    return found


def _sum_of_squares(mantissa: Ints, power: Ints, start: Ints, end: Ints) -> BigNumbers:
    """A square has 106 bits: it is the sum of three parts of at most 54."""
    size = np.abs(mantissa)
    high, low = size >> _HALF, size & ((1 << _HALF) - 1)
    parts = np.stack([high * high, high * low, low * low], axis=1).ravel()
    powers = np.stack([2 * power + 2 * _HALF, 2 * power + _HALF + 1, 2 * power], axis=1).ravel()
    return sum_scaled(parts, powers, 3 * start, 3 * end, 2 * _LOWEST)


def _times(number: BigNumbers, factor: Ints) -> BigNumbers:
    products = number.limbs * factor.astype(np.uint64)
    return BigNumbers(_carried(products, 2), number.negative, number.exponent)


def _square(number: BigNumbers) -> BigNumbers:
    limbs = number.limbs
    total = np.zeros((2 * len(limbs) + 1, limbs.shape[1]), np.uint64)
    for i, a in enumerate(limbs):
        for j, b in enumerate(limbs):
            product = a * b
            total[i + j] += product & _MASK
            total[i + j + 1] += product >> np.uint64(LIMB)
    return BigNumbers(_carried(total, 1), _positive(number), 2 * number.exponent)


def _positive(number: BigNumbers) -> Bools:
    return np.zeros(number.limbs.shape[1], dtype=bool)


def _carried(limbs: _Limbs, more: int) -> _Limbs:
    """Limbs that may exceed 32 bits brought back below, with so many more limbs for what is carried."""
    out = np.zeros((len(limbs) + more, limbs.shape[1]), np.uint64)
    carry = np.zeros(limbs.shape[1], np.uint64)
    for place in range(len(out)):
        carry = carry + limbs[place] if place < len(limbs) else carry
        out[place] = carry & _MASK
        carry = carry >> np.uint64(LIMB)
    return out


def _difference(a: BigNumbers, b: BigNumbers) -> BigNumbers:
    """`a − b`, both positive and `a` the greater (Cauchy–Schwarz)."""
    exponent = min(a.exponent, b.exponent)
    skip_a, skip_b = (a.exponent - exponent) // LIMB, (b.exponent - exponent) // LIMB
    places = max(len(a.limbs) + skip_a, len(b.limbs) + skip_b)
    borrow = np.zeros(a.limbs.shape[1], np.int64)
    out = np.zeros((places, a.limbs.shape[1]), np.uint64)
    for place in range(places):
        borrow = borrow + _limb(a, place - skip_a) - _limb(b, place - skip_b)
        out[place] = (borrow & int(_MASK)).astype(np.uint64)
        borrow = borrow >> LIMB
    return BigNumbers(out, _positive(a), exponent)


def _limb(number: BigNumbers, place: int) -> Ints:
    inside = 0 <= place < len(number.limbs)
    return number.limbs[place].astype(np.int64) if inside else np.zeros(number.limbs.shape[1], np.int64)


def _quotient(number: BigNumbers, divisor: Ints, *, more: int) -> BigNumbers:
    """Long division by 32-bit divisors to so many more limbs; the last bit says whether a remainder was left."""
    by = divisor.astype(np.uint64)
    remainder = np.zeros(len(by), np.uint64)
    extended = np.concatenate([np.zeros((more, len(by)), np.uint64), number.limbs])
    out = np.empty_like(extended)
    for place in reversed(range(len(extended))):
        part = (remainder << np.uint64(LIMB)) | extended[place]
        out[place] = part // by
        remainder = part - out[place] * by
    out[0] |= (remainder != 0).astype(np.uint64)
    return BigNumbers(out, number.negative, number.exponent - LIMB * more)
