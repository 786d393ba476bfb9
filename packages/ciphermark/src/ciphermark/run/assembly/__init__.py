"""Makes the result document from what the journal holds."""
