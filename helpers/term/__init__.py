"""The instructor's term around the marking: what goes out to students, what comes back, and what it says."""
