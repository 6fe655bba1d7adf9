"""A small retrieval-augmented service over a sample handbook, to try the gate on.

It has no dependencies and no model: SQLite finds the chunks and the answer is a
sentence of them, so it gives the same answers on every machine.
"""
