"""A term with a class: what goes out to students, what comes back, and what is made of it."""
