"""The command line: one module a command, and no logic in them."""
