"""The wire: trees come through as they are, and nothing that only looks like one does."""

import json
import socket
import struct
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.grading import wire
from helpers.grading.wire import Channel, Trees, WireError

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | TEXT
ARRAYS = hnp.arrays(
    st.sampled_from(["f8", "f4", "i8", "i2", "u1", "?", ">f8", "c16"]), hnp.array_shapes(min_dims=0, max_side=4)
)
TREES = st.recursive(
    PLAIN | ARRAYS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple) | st.dictionaries(TEXT, inner, max_size=4)
    ),
    max_leaves=12,
)


def through(value, **caps):
    """What arrives on the other side."""
    out = Trees(**caps)
    said = json.loads(json.dumps(out.say(value)))
    return Trees(**caps).hear(said, out.blobs)


def same(left, right):
    if isinstance(left, np.ndarray):
        assert isinstance(right, np.ndarray)
        assert left.dtype.newbyteorder("=") == right.dtype
        np.testing.assert_array_equal(left, right)
    elif isinstance(left, (list, tuple)):
        assert type(left) is type(right)
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            same(one, other)
    elif isinstance(left, dict):
        assert list(left) == list(right)
        same(list(left.values()), list(right.values()))
    else:
        assert type(left) is type(right)
        assert left == right


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_a_tree_arrives_as_it_was(tree):
    same(tree, through(tree))


def test_numbers_that_are_none_arrive():
    back = through([float("nan"), float("-inf"), np.array([np.nan, np.inf])])
    assert back[0] != back[0]
    assert back[1] == float("-inf")
    np.testing.assert_array_equal(back[2], [np.nan, np.inf])


def test_a_scalar_stays_a_scalar():
    back = through(np.float32(1.5))
    assert type(back) is np.float32
    assert back == 1.5


def test_an_array_that_arrived_can_be_written_to():
    back = through(np.zeros((2, 3))[:, ::2])
    back[0] = 7
    assert back.sum() == 14


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.array([object()]), "an array of objects"),
        (np.array(["2020-01-01"], "M8[D]"), "an array of datetime64[D]"),
        ({1: 2}, "a dict with keys that are no strings"),
        (2**64, "a whole number of more than 64 bits"),
        ((n for n in []), "a generator, not numbers"),
        ({1, 2}, "a set, not numbers"),
        (1j, "a complex, not numbers"),
        (b"raw", "a bytes, not numbers"),
        (np.zeros(2**18), "larger than 1 MB"),
        ("x" * 2**20, "more than 100,000 letters of text"),
        ([0] * 30_000, "more than 20,000 entries outside arrays"),
    ],
)
def test_what_cannot_be_said_is_named(value, reason):
    with pytest.raises(WireError, match=reason.replace("[", r"\[").replace("]", r"\]")):
        Trees(value_mb=1).say(value)


def test_a_list_in_itself_is_too_deep():
    ring = []
    ring.append(ring)
    with pytest.raises(WireError, match="nested more than 16 deep"):
        Trees().say(ring)


def forged(shape=(2,), dtype="f8", blob=0, letter="a"):
    return [letter, dtype, list(shape), blob]


@pytest.mark.parametrize(
    "said",
    [
        forged(dtype="O"),
        forged(dtype="V8"),
        forged(dtype="f16"),
        forged(dtype=["f8"]),
        forged(shape=(3,)),
        forged(shape=(-1, -2)),
        forged(shape=(2**62, 4)),
        forged(shape=(0, 2**63)),
        forged(shape=(0, 2**30, 2**30)),
        forged(shape=(2.0,)),
        forged(shape=(True, 2)),
        forged(shape=[1] * 33),
        forged(blob=1),
        forged(blob=-1),
        forged(blob=0.0),
        ["a"],
        ["x", 1],
        [],
        [1],
        [["l"]],
        ["d", 1, 2],
        ["d", "a"],
        ["f", 0],
        ["u", [2], ["a"]],
        ["u", [1], [1]],
        {"l": 1},
        2**70,
    ],
)
def test_a_forged_tree_is_refused(said):
    with pytest.raises(WireError):
        Trees().hear(said, [bytes(16)])


def test_one_piece_of_bytes_named_often_costs_each_time():
    said = ["l", *([forged(shape=(2**17,))] * 100)]
    with pytest.raises(WireError, match="larger than 8 MB"):
        Trees().hear(said, [bytes(2**20)])


def test_strings_of_one_long_one_cost_their_padding():
    with pytest.raises(WireError, match="larger"):
        Trees().hear(["u", [10_001], ["x" * 1000] + [""] * 10_000], [])


def test_bytes_that_are_no_bool_become_one():
    back = Trees().hear(forged(shape=(3,), dtype="b1"), [bytes([0, 1, 77])])
    assert back.view(np.uint8).tolist() == [0, 1, 1]


def test_lone_surrogates_are_replaced():
    assert Trees().hear("\ud800", []) == "?"


@pytest.fixture
def ends():
    left, right = socket.socketpair()
    with left, right:
        yield left, Channel(right)


def raw(end, header, body=b""):
    end.sendall(wire.PREFIX.pack(wire.MAGIC, len(header), len(body)) + header + body)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"nothing",
        b"[]",
        b"{}",
        b'{"sizes": [1]}',
        b'{"sizes": [-1, 1]}',
        b'{"sizes": [true]}',
        b'{"sizes": {}}',
        b'{"sizes": [], "n": ' + b"9" * 5000 + b"}",
        b'{"sizes": [], "deep": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b'{"sizes": [], "\xff": 1}',
    ],
)
def test_a_malformed_message_is_refused(ends, header):
    end, channel = ends
    thread = threading.Thread(target=raw, args=(end, header))
    thread.start()
    with pytest.raises(WireError):
        channel.receive(time.monotonic() + 10)
    thread.join()


def test_garbage_is_refused(ends):
    end, channel = ends
    end.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    with pytest.raises(WireError):
        channel.receive(time.monotonic() + 1)


def test_a_length_that_is_never_sent_is_refused_at_once(ends):
    end, channel = ends
    end.sendall(struct.pack(">4sIQ", wire.MAGIC, 2, 2**60))
    with pytest.raises(WireError):
        channel.receive(time.monotonic() + 1)


def test_drops_do_not_move_the_deadline(ends):
    end, channel = ends
    stop = threading.Event()

    def drip():
        end.sendall(wire.PREFIX.pack(wire.MAGIC, 1000, 0))
        while not stop.wait(0.02):
            end.sendall(b" ")

    thread = threading.Thread(target=drip)
    thread.start()
    started = time.monotonic()
    with pytest.raises(wire.Late):
        channel.receive(started + 0.2)
    stop.set()
    thread.join()
    assert time.monotonic() - started < 1


def test_a_closed_end_is_noticed(ends):
    end, channel = ends
    end.close()
    with pytest.raises(wire.Closed):
        channel.receive()


def test_one_who_does_not_read_is_late(ends):
    _, channel = ends
    with pytest.raises(wire.Late):
        channel.send({"a": 1}, [bytes(2**24)], time.monotonic() + 0.2)
