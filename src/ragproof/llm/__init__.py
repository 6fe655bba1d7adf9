"""Language models: one protocol, clients for the usual providers, replies as data."""
