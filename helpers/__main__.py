"""The command line: `python -m helpers`, installed as `byhand`.

This file and the package's __init__.py keep to a syntax that even Python 2.7 reads, so that a Python
that is too old gets one plain sentence instead of a SyntaxError.
"""

import sys

OLDEST_PYTHON = (3, 10)


def main(argv=None):
    """Run one command and return its exit code: 0 done, 1 told why not, 2 wrong usage."""
    if sys.version_info < OLDEST_PYTHON:
        sys.stderr.write(
            "byhand: Transformer by Hand needs Python 3.10 or newer, and %s is Python %s; "
            "choose another, as in: make lab PYTHON=python3.12, or: python3.12 -m helpers lab\n"
            % (sys.executable, ".".join(str(part) for part in sys.version_info[:3]))
        )
        return 1
    from helpers.bundle import commands as bundle
    from helpers.course.commands import run
    from helpers.grading import commands as grading
    from helpers.house import commands as house
    from helpers.site import commands as site
    from helpers.term import commands as term

    rooms = [bundle.add_to, grading.add_to, term.add_to, site.add_to, house.add_to]
    return run(sys.argv[1:] if argv is None else argv, rooms)


if __name__ == "__main__":
    sys.exit(main())
