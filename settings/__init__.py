"""The tables of the project file, which `config.py` puts together: TOML in, frozen settings or every fault out."""
