"""What is done to an engine so that its data are encrypted."""
