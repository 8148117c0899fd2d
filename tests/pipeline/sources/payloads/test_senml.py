"""SenML: the examples of RFC 8428, and what a reader has to refuse."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.pipeline.sources.payloads.senml import senml_records

DEVICE = "urn:dev:ow:10e2073a01080063"
NOW = 1_700_000_000.0


def test_a_single_measurement_without_a_time_is_of_now() -> None:
    """RFC 8428, §5.1.1."""
    pack = [{"n": DEVICE, "u": "Cel", "v": 23.1}]
    assert senml_records(pack, NOW) == [{"n": DEVICE, "t": NOW, "v": 23.1, "u": "Cel"}]


def test_base_fields_hold_until_they_are_set_again() -> None:
    """RFC 8428, §5.1.2: a voltage now, and currents of the seconds before."""
    pack: list[dict[str, Any]] = [
        {"bn": f"{DEVICE}:", "bt": 1.276020076001e09, "bu": "A", "bver": 5, "n": "voltage", "u": "V", "v": 120.1},
        *({"n": "current", "t": t, "v": v} for t, v in [(-5, 1.2), (-4, 1.3), (-3, 1.4), (-2, 1.5), (-1, 1.6)]),
        {"n": "current", "v": 1.7},
    ]
    found = senml_records(pack, None)
    assert found[0] == {"n": f"{DEVICE}:voltage", "t": 1276020076.001, "v": 120.1, "u": "V"}
    assert [row["t"] for row in found[1:]] == [1276020076.001 + t for t in (-5, -4, -3, -2, -1, 0)]
    assert {(row["n"], row["u"]) for row in found[1:]} == {(f"{DEVICE}:current", "A")}


def test_records_may_have_no_name_of_their_own() -> None:
    """RFC 8428, §5.1.3, and what it resolves to, §5.1.4."""
    pack: list[dict[str, Any]] = [
        {"bn": DEVICE, "bt": 1.320067464e09, "bu": "%RH", "v": 20},
        {"u": "lon", "v": 24.30621},
        {"u": "lat", "v": 60.07965},
        {"t": 60, "v": 20.3},
        {"u": "lon", "t": 60, "v": 24.30622},
    ]
    assert senml_records(pack, None) == [
        {"n": DEVICE, "t": 1.320067464e09, "v": 20, "u": "%RH"},
        {"n": DEVICE, "t": 1.320067464e09, "v": 24.30621, "u": "lon"},
        {"n": DEVICE, "t": 1.320067464e09, "v": 60.07965, "u": "lat"},
        {"n": DEVICE, "t": 1.320067524e09, "v": 20.3, "u": "%RH"},
        {"n": DEVICE, "t": 1.320067524e09, "v": 24.30622, "u": "lon"},
    ]


def test_values_of_every_kind() -> None:
    """RFC 8428, §5.1.5 and §4.3: texts, truth values, data, sums and the time of the next one."""
    pack: list[dict[str, Any]] = [
        {"bn": f"{DEVICE}:", "bt": 1.6e9, "n": "temp", "u": "Cel", "v": 23.1, "ut": 60},
        {"n": "label", "vs": "Machine Room"},
        {"n": "open", "vb": False},
        {"n": "nfc-reader", "vd": "aGkgCg"},
        {"n": "energy", "u": "J", "s": 12},
    ]
    found = [{k: v for k, v in row.items() if k not in ("n", "t", "u")} for row in senml_records(pack, None)]
    assert found == [{"v": 23.1, "ut": 60}, {"vs": "Machine Room"}, {"vb": False}, {"vd": "aGkgCg"}, {"s": 12}]


def test_base_values_and_sums_are_added() -> None:
    pack: list[dict[str, Any]] = [
        {"bn": "a", "bt": 1.6e9, "bv": 10, "bs": 100},
        {"v": 1},
        {"s": 5},
        {"vs": "text"},
    ]
    found = [{k: v for k, v in row.items() if k not in ("n", "t")} for row in senml_records(pack, None)]
    assert found == [{"v": 10, "s": 100}, {"v": 11}, {"s": 105}, {"vs": "text"}]


def test_a_record_may_only_set_bases() -> None:
    assert senml_records([{"bn": "a", "bt": 1.6e9}, {"v": 1}], None) == [{"n": "a", "t": 1.6e9, "v": 1}]


@pytest.mark.parametrize(
    ("pack", "why"),
    [
        ({"n": "a", "v": 1}, "a pack is an array of records"),
        ([], "a pack is an array of records"),
        ([{"n": "a", "v": 1, "t": 1.6e9}, 5], "record 2: it is no object"),
        ([{"n": "a", "v": "1"}], "record 1: 'v' is '1'"),
        ([{"n": "a", "v": True}], "record 1: 'v' is True"),
        ([{"n": "a", "vb": 1}], "record 1: 'vb' is 1"),
        ([{"n": "a", "v": 1, "vs": "x"}], "record 1: it has several of v, vs, vb, vd"),
        ([{"v": 1, "t": 1.6e9}], "record 1: '' is no name"),
        ([{"n": "-a", "v": 1}], "record 1: '-a' is no name"),
        ([{"n": "a", "v": 1, "bver": 11}], "record 1: its version is 11; 10 is read"),
        ([{"n": "a", "v": 1, "new_": 1}], "record 1: 'new_' must be understood, and is not"),
        ([{"n": "a", "v": 1, "t": 10**400}], "record 1: 't' is too large"),
        ([{"n": "a", "bt": float("-inf"), "v": 1}], "record 1: 'bt' is too large"),
        ([{"n": "a", "v": 1}], "record 1: its time is relative to when it was received, which nobody knows here"),
    ],
)
def test_what_is_no_pack(pack: object, why: str) -> None:
    with pytest.raises(ValueError, match=r"^.") as caught:
        senml_records(pack, None)
    assert str(caught.value) == why
