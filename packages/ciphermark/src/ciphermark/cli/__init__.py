"""The command line: one module for each command, without logic of its own."""
