"""The running engine: raw records of every stream go in; archived events, rows of queries and dead letters come out."""
