"""Plan files, and the experiments that are made from them."""
