"""The dataset: rows in, samples out; selection; the embedded demo."""
