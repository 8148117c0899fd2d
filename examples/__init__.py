"""Projects that run: the campus of the paper, real buildings, an expressway."""
