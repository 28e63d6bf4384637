"""The study: trials planned, run, recorded; the paper's tables and figures as commands."""
