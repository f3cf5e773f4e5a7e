"""Hand traces: one token followed through every operation of a run, each line written out and compared.

What is written out are products and sums of entries of the run's arrays; the results themselves come from the run.
A trace is a table of steps (plan.py), each made of small functions that write on a sheet (sheet.py).
"""

from .cost import trace_costs
from .word import trace_word

__all__ = ["trace_costs", "trace_word"]
