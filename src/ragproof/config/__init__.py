"""The configuration file: reading YAML strictly, the models, and secrets by environment."""
