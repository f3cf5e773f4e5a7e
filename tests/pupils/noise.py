"""Errors that are in no catalogue, small offsets, and passes that try to earn points without work."""

import copy
import math

from pupils.paper import BOXES, NO_DECIMALS, entries, entrywise, places, replaced, round_half_up, shape

# A typo or an offset that counts as one is at least so many units of the last written place.
SEEN = 20
# Weights that a matrix product reads, by family; E_out stands for the candidates' rows of E.
READS = {"Q": "Wq", "K": "Wk", "V": "Wv", "M": "Wo", "F_pre": "W1", "F": "W2"}


def pick(rng, things):
    return things[int(rng.integers(len(things)))]


def finite_places(written):
    return [(place, x) for place, x in places(written) if not math.isinf(x)]


def mistype(written, decimals, rng):
    """Another digit in one entry, so that it moves by at least 20 units of the last place."""
    place, x = pick(rng, finite_places(written))
    return replaced(written, place, pick(rng, _other_digits(x, decimals)))


def _other_digits(x, decimals):
    """The number with one digit changed, all ways that move it far enough; digits before the point up to 9."""
    units = round(abs(x) * 10**decimals)
    found = []
    for power in range(decimals + 1):
        digit = units // 10**power % 10
        for other in range(10):
            if abs(other - digit) * 10**power >= SEEN:
                size = (units + (other - digit) * 10**power) / 10**decimals
                found.append(math.copysign(size, x) + 0.0)
    return found


# --- in no catalogue -----------------------------------------------------------------------------


def random_matrix(written, decimals, rng):
    """Random numbers with the mean and the spread of the box; blocked places stay."""
    numbers = [x for x in entries(written) if not math.isinf(x)]
    mean = sum(numbers) / len(numbers)
    spread = math.sqrt(sum((x - mean) ** 2 for x in numbers) / len(numbers)) or 1.0
    return entrywise(lambda x: x if math.isinf(x) else round_half_up(rng.normal(mean, spread), decimals), written)


def some_typos(written, decimals, rng, count):
    """Typos in `count` different entries."""
    chosen = rng.permutation(len(finite_places(written)))[:count]
    found = written
    for k in chosen:
        place, x = finite_places(written)[int(k)]
        found = replaced(found, place, pick(rng, _other_digits(x, decimals)))
    return found


def misread(given, box, rng):
    """The givens with one weight entry that this box reads taken for another value; None if it reads none."""
    if box.family not in READS:
        return None
    name = READS[box.family] + (box.mark if box.family in "QKVM" else "")
    W = [list(row) for row in given.weights[name]]
    block = range(len(W[0]))
    if box.head is not None:
        block = range(box.head * given.d_k, (box.head + 1) * given.d_k)
    i, c = pick(rng, range(len(W))), pick(rng, list(block))
    others = [k / 10 for k in range(-7, 8) if abs(k / 10 - W[i][c]) > 0.25]
    W[i][c] = pick(rng, others)
    return _with_weight(given, name, W)


def _with_weight(given, name, W):
    other = copy.copy(given)
    other.weights = given.weights | {name: W}
    return other


def scaled_by(written, decimals, factor=0.8):
    """Right, times 0.8: off by a factor that no rule explains."""
    return entrywise(lambda x: round_half_up(x * factor, decimals), written)


# --- small offsets -------------------------------------------------------------------------------


def written_place(written):
    """Decimals of the last written place as the digits show it: 1.23 has 2, whoever meant 1.230; from 2 to 9."""
    digits = [len(repr(x).partition(".")[2]) for x in entries(written) if not math.isinf(x) and x != int(x)]
    return min(9, max(2, *digits, 2))


def offset(written, units, rng):
    """One entry off by so many units of the last written place, up or down; None if the place would change."""
    decimals = written_place(written)
    place, x = pick(rng, finite_places(written))
    signs = [1, -1] if rng.random() < 0.5 else [-1, 1]
    for sign in signs:
        moved = replaced(written, place, round(x + sign * units / 10**decimals, decimals))
        if written_place(moved) == decimals:
            return moved
    return None


# --- passes without work -------------------------------------------------------------------------


def cheats(right, unit, decimals, rng):
    """Passes that hold no work, by name: keys → boxes. right: an honest pass, for the shapes and the reversed one.

    Where such a pass would hold the right value all the same (a single number read backwards), it stays empty.
    """

    def luck(x):
        return round_half_up(rng.uniform(-1, 1), decimals)

    return {
        "all zeros": _filled(right, unit, lambda value: entrywise(lambda x: 0.0, value)),
        "all ones": _filled(right, unit, lambda value: entrywise(lambda x: 1.0, value)),
        "rows all alike": _filled(right, unit, lambda value: _alike(entrywise(luck, value))),
        "copies of an earlier box": _copies(_filled(right, unit, lambda value: entrywise(luck, value))),
        "the key with rows reversed": _filled(right, unit, _reversed, ids=right.get("ids", [])[::-1]),
        "random numbers": _filled(right, unit, lambda value: entrywise(luck, value)),
    }


def _filled(right, unit, make, ids=None):
    """A pass with make(right box) in every box of decimals; ids all 0 unless given; no next word."""
    found = {}
    for b in BOXES[unit]:
        if b.key == "ids":
            found["ids"] = ids or [0] * len(right["ids"])
        elif b.key == "next_word":
            found["next_word"] = None
        else:
            found[b.key] = make(right[b.key])
    return found


def _alike(value):
    """Every row, or every entry of a vector, the same as the first."""
    return [value[0] for _ in value] if isinstance(value, list) else value


def _reversed(value):
    return value[::-1] if isinstance(value, list) else None


def _copies(filled):
    """Each box a copy of the latest earlier box of its shape; the first of a shape stays as it is."""
    latest = {}
    for key, value in filled.items():
        if key not in NO_DECIMALS:
            filled[key] = latest.setdefault(shape(value), value)
    return filled
