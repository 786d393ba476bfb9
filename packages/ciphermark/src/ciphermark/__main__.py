"""Runs the command line with `python -m ciphermark`."""

from ciphermark.cli.main import main

if __name__ == "__main__":
    main()
