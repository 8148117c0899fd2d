"""Measurements: what kaicep costs, as ratios within one run."""
