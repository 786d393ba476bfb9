"""Takes sysbench's command line and prints sysbench's reports."""
