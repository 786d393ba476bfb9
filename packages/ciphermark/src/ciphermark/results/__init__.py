"""The result document, its files, and what can be said of it without a report."""
