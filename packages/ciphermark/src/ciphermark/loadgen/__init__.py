"""Load generation: terminals, workers, pacing, slices and blocks."""
