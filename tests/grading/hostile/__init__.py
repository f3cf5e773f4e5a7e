"""Submissions that mean harm or were damaged, each with the marks that its honest content deserves.

To add one, write a few lines in the file it belongs to:

    cell("a name for the table", "the source of a cell")            # honest.py says what stands around it
    softmax("a name", "the source of the answer softmax")           # encoder only; softmax earns nothing
    answer("a name", unit, sources, lost)                           # of one unit; all else is right
    @damage("a name")                                               # what became of the file on its way
    def _(notebook): ...; return notebook                           # or bytes
    @folder("a name")                                               # what else lies in the student's folder
    def _(folder): ...

All but `softmax` and `answer` are made for every unit. The class run over all of them is test_mixed_class.py;
attacks.py prints the table beside plain nbgrader.
"""

from hostile import channel, damage, endless, harm, marks
from hostile.case import CASES, Case, of_unit

__all__ = ["CASES", "Case", "channel", "damage", "endless", "harm", "marks", "of_unit"]
