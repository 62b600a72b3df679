"""The comparison: jobs, contenders, the oracle, the clock, the tables. See bench/compare/run."""
