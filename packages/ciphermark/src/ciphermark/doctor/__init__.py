"""Checks of this machine and of the databases on it, before anything is measured."""
