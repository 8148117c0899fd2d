"""A greenhouse described and observed in the words of SOSA, SSN and ORG."""
