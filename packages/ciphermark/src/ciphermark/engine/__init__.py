"""The databases under test: what an engine must offer, and one package for each."""
