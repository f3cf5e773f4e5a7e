"""What all tests share."""

from hypothesis import settings

# No deadline: a busy machine is no error. The same examples in every run: a red result can be looked at again.
settings.register_profile("course", deadline=None, derandomize=True)
# For the ends of NumPy and Python, where all of it runs again.
settings.register_profile("few", settings.get_profile("course"), max_examples=20)
settings.load_profile("course")
