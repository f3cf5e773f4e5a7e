"""Which cells of a submission have to run, so that its answers come out as when all of them do."""

from __future__ import annotations

from helpers.grading.matching import bound
from helpers.grading.reading import reads
from helpers.grading.repair import Repaired
from helpers.grading.unit import Unit

# Letters of code of which no student writes so many: they are not taken apart, which needs 10 s for every million.
LONG = 300_000


class Needed(frozenset):
    """Numbers of the cells to be run; `quiet` has the sources of those that are run for the names they give alone."""

    quiet: dict[int, str]


def needed_cells(repaired: Repaired, unit: Unit) -> Needed:
    """Find what the student wrote, what shows it, and what either of them reads.

    A released cell that nobody changed and that reads nothing of the student's shows what it shows everybody.
    """
    cells, places = repaired.notebook["cells"], repaired.places
    code = [n for n, cell in enumerate(cells) if cell["cell_type"] == "code" and places[n] not in unit.tests]
    live, names = set(), {"homework"}
    for n in code:
        plain = unit.plain.get(places[n]) if places[n] not in repaired.changed else None
        if plain is None:
            names |= bound(cells[n]["source"])
        elif plain.reads & names:
            names |= plain.binds
        else:
            continue
        live.add(n)
    closely = sum(len(cells[n]["source"]) for n in live) < LONG
    asked = set().union(*(reads(cells[n]["source"], closely) for n in live))
    asked = asked.union(*(test.names for test in unit.tests.values()))
    quiet = {}
    for n in reversed([n for n in code if n not in live]):
        plain = unit.plain[places[n]]
        if plain.binds & asked:
            quiet[n] = plain.quiet
            asked |= plain.reads
    needed = Needed(live | quiet.keys())
    needed.quiet = quiet
    return needed
