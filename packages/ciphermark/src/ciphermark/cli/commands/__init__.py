"""The commands; each module is imported when its command is used."""
