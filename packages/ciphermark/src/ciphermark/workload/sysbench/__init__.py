"""The OLTP workloads of sysbench 1.0, with its options, its distributions and its data."""
