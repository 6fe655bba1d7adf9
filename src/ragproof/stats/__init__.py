"""Statistics of paired scores: pure functions of numbers, without numpy."""
