"""Is it really encrypted, is everything else equal, and are the data consistent?"""
