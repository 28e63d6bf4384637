"""Runs here have committees with a few trees: what is tested is around them."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def few_trees(small_committee):
    """For every test of the folder."""
