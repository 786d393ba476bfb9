"""Checks of the machine and of the databases before a run."""
