"""Counts of what happened, table by table, with the first few cases of each miss, small enough to run again."""

from collections import Counter, defaultdict

KEPT = 4


class Tally:
    """counts[table][row]: a Counter. misses[table][row]: a few cases, in words."""

    def __init__(self):
        self.counts = defaultdict(lambda: defaultdict(Counter))
        self.misses = defaultdict(lambda: defaultdict(list))

    def add(self, table, row, **what):
        """Count each of `what` that is true (or as many as the number says); `total` is always counted."""
        found = self.counts[table][row]
        found["total"] += 1
        for name, times in what.items():
            found[name] += int(times)

    def miss(self, table, row, case):
        """Keep a case that went wrong."""
        kept = self.misses[table][row]
        if len(kept) < KEPT:
            kept.append(case)

    def plain(self):
        """What a process can hand to another."""
        counts = {table: {row: dict(found) for row, found in rows.items()} for table, rows in self.counts.items()}
        misses = {table: dict(rows) for table, rows in self.misses.items()}
        return counts, misses

    def take(self, plain):
        """Add what another process counted."""
        counts, misses = plain
        for table, rows in counts.items():
            for row, found in rows.items():
                self.counts[table][row].update(found)
        for table, rows in misses.items():
            for row, cases in rows.items():
                for case in cases:
                    self.miss(table, row, case)

    def share(self, table, name, rows=None, of="total"):
        """Part of the cases of a table (or of some rows) in which `name` was counted; None without any case."""
        chosen = [found for row, found in self.counts[table].items() if rows is None or row in rows]
        total = sum(found[of] for found in chosen)
        return sum(found[name] for found in chosen) / total if total else None
