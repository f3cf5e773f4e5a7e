"""What becomes the package `helpers` in the sandbox, beside what is shipped of the real one (see packing.py).

Each file is the room of its name there: givens and the course run as data, every rule's name and none of the rules.
These files run in the sandbox only.
"""
