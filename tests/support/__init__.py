"""What tests share: the Hypothesis strategies for projects, streams and queries."""
