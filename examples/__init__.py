"""Projects that run: the campus of the paper, and two real buildings."""
