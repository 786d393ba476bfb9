"""What the database is asked to do: data to load and transactions that do no I/O."""
