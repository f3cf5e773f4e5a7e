"""Decoder 14: the model writes by itself, word by word, and what a cache of keys and values saves."""

from __future__ import annotations

from ..counts import encoder_multiply_adds
from ..displays.notes import show_table
from ..displays.numbers import fixed
from ..displays.output import Display
from ..sizes import PAPER_BASE
from .bars import sentence
from .candidates import MOST_WORDS, by_size, german_words, key, share_table, tiles
from .card import Card, Stage
from .controls import TRAINED, Chosen, Decimal, Menu, Number, Press
from .settings import Settings
from .writing import LONGEST, Rule, Written, gap, numbers_kept, work, work_so_far, written

SAME = 1e-9
"""Two ways of computing one number differ by less, from rounding alone."""


def rule_of(chosen: Chosen) -> Rule:
    """How words are chosen, from the values of the controls."""
    return Rule(chosen.rule, chosen.temperature, chosen.top_k, chosen.top_p, chosen.draw)


def draw_generation(settings: Settings, chosen: Chosen) -> Stage:
    """The words so far, the shares of the next one, and the work a cache saves."""
    rule = rule_of(chosen)
    state = written(settings, rule, chosen.words)
    words = words_of_ids(settings, state.ids)
    stopped = state.ended or len(words) > LONGEST
    display = tiles("Written so far" if stopped else "What the decoder reads", words, "" if stopped else "next word")
    display += _said(settings, words, state)
    if stopped:
        display += _cache(settings, state)
    else:
        display += _bars(settings, state, rule, words[-1]).beside(_cache(settings, state))
    display += _check(settings, state)
    return Stage(display, f"up to {LONGEST} words", "up to n + 50 words", f"written: {len(words) - 1}")


def words_of_ids(settings: Settings, ids: tuple[int, ...]) -> list[str]:
    """The words of some ids."""
    by_id = {id_: word for word, id_ in settings.example.vocabulary.items()}
    return [by_id[id_] for id_ in ids]


def _said(settings: Settings, words: list[str], state: Written) -> Display:
    source, out = " ".join(settings.source), words[1 : state.rows]
    if state.ended:
        said = f"<eos> is written: the end. “{source}” became " + (f"“{' '.join(out)}”." if out else "nothing at all.")
        if settings.trained:
            same = tuple(out) == settings.target
            said += f" {'These are' if same else 'These are not'} the words of your German sentence."
    elif len(words) > LONGEST:
        said = f"{LONGEST} words and no <eos>: the card stops here. A model can go on without end."
    else:
        once = encoder_multiply_adds(settings.sizes, len(settings.source))
        said = (
            f"The last row says what comes next, then that word is read too. The encoder has read “{source}” once, "
            f"with {once:,} multiply-adds, and does not run again."
        )
    if not settings.trained:
        said += " The weights are random, so the words mean nothing."
    return sentence(said)


def _bars(settings: Settings, state: Written, rule: Rule, last: str) -> Display:
    """The likeliest words, the one that will be written among them, and what the cuts did to them."""
    names = german_words(settings)
    columns = by_size(state.even)[:MOST_WORDS]
    if state.next not in columns:
        columns[-1] = state.next
    title = f"Next word after {last}, {len(columns)} of {len(names)} words"
    place = columns.index(state.next)
    cut = state.shares == 0
    marks = {k: "cut" for k, column in enumerate(columns) if cut[column]}
    marks[place] = "likeliest" if rule.kind == "greedy" else "drawn"
    dashed = state.even[columns] if cut.any() else None
    bars = share_table([names[c] for c in columns], state.shares[columns], title, marks, dashed)
    return bars + key(f"dashed: before {int(cut.sum())} words were cut") if cut.any() else bars


def _cache(settings: Settings, state: Written) -> Display:
    """What is computed and kept for the newest word, here and at the sizes of the paper."""
    n, rows = len(settings.source), state.rows
    heads = ("for this word", "all rows anew", "with a cache", "saved")
    lines = [("rows computed", rows, 1, rows - 1)]
    for paper, sizes, n_out in (
        ("", settings.sizes, len(german_words(settings))),
        ("paper: ", PAPER_BASE, PAPER_BASE.vocab),
    ):
        for what, (anew, cached) in (
            ("multiply-adds", work(sizes, n, rows, n_out)),
            ("all so far", work_so_far(sizes, n, rows, n_out)),
        ):
            lines.append((f"{paper}{what}", anew, cached, anew - cached))
        lines.append((f"{paper}numbers kept", 0, numbers_kept(sizes, n, rows), None))
    return show_table.build(heads, lines, "A cache of keys and values", align="lrrr")


def _check(settings: Settings, state: Written) -> Display:
    """Whether the rows computed one by one with the cache are those of the full pass."""
    rows = state.rows
    largest = gap(settings, state.ids[:rows])
    same = "equals" if largest < SAME else "differs from"
    first = (
        f"The cached step {same} the full one" if rows == 1 else f"Each of the {rows} cached steps {same} the full one"
    )
    return sentence(
        f"{first}. Largest difference of a logit: {fixed(largest, 6, sign=False)}. No row sees a later word."
    )


# --- the buttons --------------------------------------------------------------------------------


def _step(settings: Settings, chosen: Chosen) -> dict | None:
    if chosen.words >= LONGEST or written(settings, rule_of(chosen), chosen.words).ended:
        return None
    return {"words": chosen.words + 1}


def _again(settings: Settings, chosen: Chosen) -> dict:
    return {"words": 0}


KINDS = [("the likeliest word", "greedy"), ("a drawn word", "sample")]

CARDS = (
    Card(
        "generation", "decoder", 14, "It writes by itself", "What does the model read when nobody feeds it?", "3.1",
        draw_generation,
        (
            Press("step", "Step", change=_step),
            Press("play", "Play", change=_step, plays=True, rewind=_again),
            Press("again", "Start again", change=_again),
            Number("words", "words written", 2, high=LONGEST),
            Menu("rule", "write", "greedy", options=lambda settings: KINDS),
            Number("draw", "draw", 3, high=999),
            Decimal("temperature", "temperature", 1.0, low=0.1, high=5.0, step=0.1),
            Number("top_k", "top k (0: all)", 0, high=lambda settings: len(german_words(settings))),
            Decimal("top_p", "top p (1: all)", 1.0, low=0.05, high=1.0, step=0.05),
            TRAINED,
        ),
    ),
)  # fmt: skip
