"""Tables of source_theirs.py: of kernels that others wrote, where each stands, its arguments, and launches. No text of theirs."""
