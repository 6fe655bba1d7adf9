"""From a corpus to cases: sampled, generated, verified, and kept up to date."""
