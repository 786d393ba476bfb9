"""Clocks, latencies, CPU, memory and I/O, and the machine that they were measured on."""
