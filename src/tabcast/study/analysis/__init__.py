"""From the results table to findings: means with standard errors, ranks, tests, controls, tables.

It reads a DataFrame with one row per trial and knows neither the study nor the method that produced it.

    results -> summary -> ranks, findings, published, compare -> table -> views, as a configuration asks for them
"""
