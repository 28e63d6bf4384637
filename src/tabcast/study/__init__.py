"""The study: plans, runs and records trials, and turns them into the paper's tables and figures."""
