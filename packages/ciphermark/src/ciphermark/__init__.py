"""Ciphermark measures what encrypting a database costs, and proves that it was encrypted."""

__version__ = "0.1.0"

__all__ = ["__version__"]
