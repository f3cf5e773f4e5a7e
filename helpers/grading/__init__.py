"""Grading a class: what students wrote runs in a sandbox, what it is worth is decided outside."""
