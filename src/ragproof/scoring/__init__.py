"""The arithmetic of the metrics: pure functions over records, no input or output."""
