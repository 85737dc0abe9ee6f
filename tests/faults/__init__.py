"""`make faults`: real workers under load while everything around them breaks, and printed proof that nothing is lost."""
