"""The measured tables of the checker: rows for printing, and the limits that they must keep."""

from typing import NamedTuple

from pupils.measure import OFFSETS, STRANGERS
from pupils.paper import BOXES, KINDS

SITUATIONS = ("plain", "with a typo", "after an earlier slip")
# A pair of slip and box with fewer cases than this says little on its own.
ENOUGH = 20


class Limit(NamedTuple):
    """One promise of the course: share found, whether it must be at least or at most the limit."""

    what: str
    found: float | None
    at_least: bool
    limit: float

    @property
    def kept(self):
        if self.found is None:
            return False
        return self.found >= self.limit if self.at_least else self.found <= self.limit

    def row(self):
        sign = "≥" if self.at_least else "≤"
        return (self.what, percent(self.found), f"{sign} {percent(self.limit)}", "kept" if self.kept else "MISSED")


def percent(share):
    return "no case" if share is None else f"{100 * share:.2f} %"


def limits(tally):
    """Every limit of the measurement with what was found."""
    found = []
    for kind in KINDS:
        rows = [(kind, 2), (kind, 3)]
        found.append(Limit(f"honest, {kind}: accepted", tally.share("honest", "accepted", rows), True, 0.999))
    found.append(Limit("honest: full marks with a remark", tally.share("honest", "remarked"), False, 0.003))
    found.append(Limit("honest: a mistake claimed", tally.share("honest", "claimed"), False, 0.0))
    found += _offset_limits(tally)
    for situation, first, among in zip(SITUATIONS, (0.97, None, None), (0.995, 0.99, 0.99), strict=True):
        if first:
            share = tally.share(f"slips {situation}", "first", of="seen")
            found.append(Limit(f"slip {situation}: right label first", share, True, first))
        share = tally.share(f"slips {situation}", "among", of="seen")
        found.append(Limit(f"slip {situation}: among the two named", share, True, among))
    for name in STRANGERS:
        found.append(Limit(f"{name}: a rule claimed", tally.share("strangers", "claimed", [name]), False, 0.005))
    found.append(Limit("passes followed through after a slip", tally.share("passes", "followed"), True, 0.999))
    named = tally.share("first wrong step", "named")
    found.append(Limit("the slip named as the first wrong step", named, True, 0.999))
    return found


def _offset_limits(tally):
    found = []
    for name in (*OFFSETS, "sign flip", "two rows exchanged"):
        what, limit = ("noticed", 0.995) if name == "5 units" else ("rejected", 0.999)
        word = "rejected or remarked" if what == "noticed" else "rejected"
        found.append(Limit(f"{name}: {word}", tally.share("offsets", what, [(name, "rounds")]), True, limit))
    return found


def limit_table(tally):
    return "Promises", ("measured", "found", "limit", ""), [limit.row() for limit in limits(tally)]


def honest_table(tally):
    rows = []
    for (kind, decimals), n in sorted(tally.counts["honest"].items()):
        shares = [percent(n[name] / n["total"]) for name in ("accepted", "remarked", "claimed")]
        rows.append((kind, decimals, n["total"], *shares))
    return "Honest students, box by box", ("kind", "decimals", "boxes", "accepted", "remarked", "claimed"), rows


def offset_table(tally):
    rows = []
    for (name, kind), n in tally.counts["offsets"].items():
        rows.append((name, kind, n["total"], *[percent(n[what] / n["total"]) for what in ("rejected", "noticed")]))
    return "Small offsets", ("one entry", "student", "boxes", "rejected", "or remarked"), sorted(rows)


def slip_tables(tally, worst=25):
    """For each situation the labels' own rows, and the pairs of label and box that are named least often."""
    for situation in SITUATIONS:
        table = tally.counts[f"slips {situation}"]
        by_label = {}
        for (label, _), n in table.items():
            whole = by_label.setdefault(label, dict(seen=0, first=0, among=0, accepted=0, unseen=0))
            for name in whole:
                whole[name] += n.get(name, 0)
        header = ("label", "seen", "first", "among two", "accepted", "unseen")
        yield f"Slips {situation}, by label", header, [_slip_row(label, n) for label, n in sorted(by_label.items())]
        pairs = [(n["among"] / n["seen"], f"{label} at {key}", n) for (label, key), n in table.items() if n.get("seen")]
        pairs = sorted((p for p in pairs if p[0] < 0.99), key=lambda p: p[:2])[:worst]
        header = ("slip and box", *header[1:])
        yield f"Slips {situation}, pairs named least", header, [_slip_row(name, n) for _, name, n in pairs]


def _slip_row(name, n):
    seen = n.get("seen", 0)
    shares = [percent(n.get(what, 0) / seen if seen else None) for what in ("first", "among", "accepted")]
    return (name, seen, *shares, n.get("unseen", 0))


def unseen_table(tally):
    rows = []
    for (name, decimals), n in sorted(tally.counts["unseen"].items()):
        rows.append((name, decimals, n["total"], percent(n["unseen"] / n["total"])))
    return "Cannot be seen at the written digits, left out above", ("wrong", "decimals", "cases", "unseen"), rows


def twin_table(tally, least=1):
    """Pairs of labels that give one box, and in how many of the cases where either was made."""
    made = {}
    for (label, key), n in tally.counts["slips plain"].items():
        made[label, family(key)] = made.get((label, family(key)), 0) + n.get("seen", 0)
    rows = []
    for (place, a, b), n in sorted(tally.counts["twins"].items()):
        cases = made.get((a, place), 0) + made.get((b, place), 0)
        if n["total"] >= least:
            rows.append((place, a, b, n["total"], cases))
    return "Cannot be told apart", ("box", "label", "label", "alike", "of cases (plain)"), rows


def family(key):
    return next(b.family for boxes in BOXES.values() for b in boxes if b.key == key)


def stranger_table(tally):
    rows = [
        (name, n["total"], percent(n["claimed"] / n["total"]), percent(n["accepted"] / n["total"]))
        for name, n in tally.counts["strangers"].items()
    ]
    return "Errors in no catalogue", ("error", "boxes", "a rule claimed", "accepted"), rows


def followed_table(tally):
    rows = [
        (f"later boxes: {kind}", n["total"], percent(n["accepted"] / n["total"]))
        for kind, n in _sorted(tally, "followed")
    ]
    rows += [
        (f"whole passes: {unit}", n["total"], percent(n["followed"] / n["total"]))
        for unit, n in _sorted(tally, "passes")
    ]
    named = _sorted(tally, "first wrong step")
    rows += [(f"first wrong step named: {unit}", n["total"], percent(n["named"] / n["total"])) for unit, n in named]
    return "After one slip", ("what", "cases", "right"), rows


def _sorted(tally, table):
    return sorted(tally.counts[table].items())


def cheat_table(tally):
    rows = []
    for (unit, name), n in sorted(tally.counts["cheats"].items()):
        points, possible = (f"{n[what] / 1000 / n['total']:.2f}" for what in ("points", "possible"))
        most = max((case[1] for case in tally.misses["cheats"][unit, name]), default=0)
        rows.append((unit, name, n["total"], points, possible, f"{most:.2f}", f"{n['right'] / n['total']:.2f}"))
    header = ("unit", "pass", "passes", "points (mean)", "of", "most of a few", "boxes right (mean)")
    return "Passes without work", header, rows


def all_tables(tally):
    yield honest_table(tally)
    yield offset_table(tally)
    yield from slip_tables(tally)
    yield twin_table(tally)
    yield unseen_table(tally)
    yield stranger_table(tally)
    yield followed_table(tally)
    yield cheat_table(tally)
    yield limit_table(tally)
