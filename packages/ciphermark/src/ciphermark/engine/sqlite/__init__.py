"""SQLite through apsw and SQLite3 Multiple Ciphers."""
