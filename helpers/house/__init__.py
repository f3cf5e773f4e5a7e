"""For whoever keeps the house: what make runs, and what is installed here."""
