"""The two files that a run leaves: responses as they came, and the scored run."""
