"""Front ends for the command lines and files of other tools."""
