"""Estimates, intervals and verdicts from the totals of batches."""
