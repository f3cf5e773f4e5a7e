"""What all tests share."""

from hypothesis import settings

# No deadline: a busy machine is no error. The same examples in every run: a red result can be looked at again.
settings.register_profile("course", deadline=None, derandomize=True)
settings.load_profile("course")
