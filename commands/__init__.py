"""The commands of the command line, which `cli.py` puts together: arguments in, calls of the stages, rows out."""
