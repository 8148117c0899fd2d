"""`python -m kaicep`: the command line."""

from kaicep.cli import main

if __name__ == "__main__":
    main()
