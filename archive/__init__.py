"""The archive: admitted events go in, by batch; the event log (Parquet) and the semantic store (Oxigraph) come out."""
