"""Runs: attempts and their records, the run directory, statistics and reports. Knows nothing of pytest."""
