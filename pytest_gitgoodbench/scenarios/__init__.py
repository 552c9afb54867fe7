"""Scenarios: what agents are asked to do with a sample. One file each; see `base.Scenario`."""
