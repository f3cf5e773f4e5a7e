"""The house keeping: the environment, JupyterLab, executed notebooks and the student release."""
