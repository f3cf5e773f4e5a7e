"""What reaches students without a clone: one zip of everything, and notebooks that work when uploaded alone."""
