"""Datasets of cases: reading, validating, freezing and comparing them."""
