"""What is taken for alike, and what is not."""

import ast
import random
import time

import pytest

from helpers.term.similar import Trait, Traits, groups_of, normalised, parsed

WRONG = """
def softmax(s):
    total = np.zeros(len(s))
    for i in range(len(s)):
        total[i] = np.exp(s[i]).sum() + 0.03
    return np.exp(s) / total
"""


def numbers(key, hash_, wrong=True, weak=False, varies=True):
    return Trait("numbers", key, hash_, wrong, weak, varies=varies)


def code(key, hash_, parts=50, wrong=True):
    return Trait("code", key, hash_, wrong, parts=parts)


def students(count, **traits):
    """A class of so many, some with traits: name=(numbers, trait, …)."""
    found = {f"s{n:04}": Traits(f"s{n:04}") for n in range(count)}
    return found | {name: Traits(whose, list(given)) for name, (whose, *given) in traits.items()}


def alike(found, solution=None):
    return [(group.students, group.strong) for group in groups_of(found, solution)]


def test_one_box_of_the_same_numbers_is_enough_when_the_personal_numbers_differ():
    found = students(9, ada=("ada", numbers("Q0", "x", wrong=False)), bob=("bob", numbers("Q0", "x")))
    assert alike(found) == [(("ada", "bob"), True)]


def test_what_is_right_for_both_is_no_sign():
    right = numbers("Q0", "x", wrong=False)
    assert alike(students(9, ada=("ada", right), bob=("bob", right))) == []


def test_with_the_same_numbers_a_known_mistake_is_no_sign():
    known = [numbers("A0", "x", weak=True), numbers("N1", "y", weak=True)]
    assert alike(students(9, ada=("", *known), bob=("", *known))) == []


def test_with_the_same_numbers_one_accident_is_no_sign_and_two_are():
    one, two = numbers("K0", "x"), numbers("V0", "y")
    assert alike(students(9, ada=("", one), bob=("", one))) == []
    assert alike(students(9, ada=("", one, two), bob=("", one, two))) == [(("ada", "bob"), False)]


def test_a_box_that_depends_on_no_personal_number_is_weighed_like_the_same_numbers():
    pe = numbers("PE", "x", varies=False)
    assert alike(students(9, ada=("ada", pe), bob=("bob", pe))) == []


def test_what_many_share_is_the_class_s_own_way():
    many = {f"m{n}": (f"m{n}", numbers("Q0", "x"), numbers("K0", "y")) for n in range(5)}
    assert alike(students(40, **many)) == []
    assert len(alike(students(200, **many))) == 1


def test_short_code_needs_a_second_sign():
    assert alike(students(9, ada=("", code("f", "x")), bob=("", code("f", "x")))) == []
    assert alike(students(9, ada=("", code("f", "x", 95)), bob=("", code("f", "x", 95)))) == [(("ada", "bob"), False)]
    both = code("f", "x"), code("g", "y")
    assert alike(students(9, ada=("", *both), bob=("", *both))) == [(("ada", "bob"), False)]


def test_code_with_which_somebody_is_right_is_no_sign():
    both = code("f", "x", 95)
    assert alike(students(9, ada=("", both), bob=("", both), cyd=("", code("f", "x", 95, wrong=False)))) == []
    assert alike(students(9, ada=("", both), bob=("", both)), Traits("", [both])) == []


def test_working_with_the_numbers_of_another_is_a_strong_sign():
    assert alike(students(9, ada=("ada",), bob=("ada",))) == [(("ada", "bob"), True)]
    assert alike(students(9, ada=("ada",), bob=("somebody else",))) == []


def test_code_is_compared_without_names_blanks_and_comments():
    other = (
        WRONG.replace("total", "z")
        .replace("def softmax(s):", 'def softmax(scores):\n    """Mine."""')
        .replace("(s)", "( scores )")
        .replace("s[i]", "scores[i]")
        .replace("return", "# here\n    return")
    )
    assert normalised(ast.parse(other)) == normalised(ast.parse(WRONG))
    assert normalised(ast.parse(WRONG.replace("0.03", "0.04"))) != normalised(ast.parse(WRONG))


@pytest.mark.parametrize("source", ["def f(:", "(" * 5000, "x = " + "-" * 9000 + "1", "\0", "%magic\nx = 1"])
def test_odd_code_stops_nobody(source):
    tree = parsed(source)
    assert tree is None or normalised(tree)[1] >= 0


def test_a_class_of_2000_takes_a_moment():
    rng = random.Random(1)
    found = {f"s{n}": Traits(f"s{n}") for n in range(2000)}
    for one in found.values():
        one.found = [numbers(f"b{box}", str(rng.randrange(10**6))) for box in range(26)]
    found["s1"].found = list(found["s0"].found)
    started = time.process_time()
    groups = groups_of(found)
    assert time.process_time() - started < 5
    assert any({"s0", "s1"} <= set(group.students) and len(group.signs) >= 26 for group in groups)
