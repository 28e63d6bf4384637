"""Colors of the page: readable on their ground, and apart from each other for people who see fewer colors."""

from __future__ import annotations

import itertools
import re
from importlib.resources import files

import numpy as np
import pytest

CSS = files("tabcast.report").joinpath("report.css").read_text(encoding="utf-8")
SERIES = [f"c{k}" for k in range(8)]

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISIONS = {
    "all colors": np.eye(3),
    "no red cones": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green cones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def read_palettes() -> dict[str, dict[str, str]]:
    """Custom properties with a color: light as they stand first, dark and print as their media override them."""

    def colors(part: str) -> dict[str, str]:
        return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part))

    light = colors(CSS[: CSS.index("@media")])
    dark = colors(CSS[CSS.index("prefers-color-scheme: dark") : CSS.index(".verdict-helped")])
    paper = colors(CSS[CSS.index("@media print") :])
    return {"light": light, "dark": {**light, **dark}, "print": {**light, **paper}}


PALETTES = read_palettes()


def linear(color: str) -> np.ndarray:
    value = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio."""
    light, dark = sorted((linear(color) @ [0.2126, 0.7152, 0.0722] for color in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(color: np.ndarray) -> np.ndarray:
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(
        color, 0, 1
    )
    f = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("name", ["ink", "soft", "muted", "helped", "undecided", "hurt", "caveat", "accent"])
def test_words_can_be_read(palette, name):
    colors = PALETTES[palette]
    assert contrast(colors[name], colors["paper"]) >= 4.5
    assert contrast(colors[name], colors["raised"]) >= 4.5


@pytest.mark.parametrize("palette", PALETTES)
def test_warnings_can_be_read(palette):
    colors = PALETTES[palette]
    assert contrast(colors["caveat"], colors["caveat-paper"]) >= 4.5
    assert contrast(colors["ink"], colors["caveat-paper"]) >= 7


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("name", [*SERIES, "accent", "neutral"])
def test_marks_can_be_seen(palette, name):
    assert contrast(PALETTES[palette][name], PALETTES[palette]["paper"]) >= 3


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("name", SERIES)
def test_numbers_on_bars_can_be_read(palette, name):
    on = "on-bright" if f"svg .on.{name}" in CSS else "on"
    assert contrast(PALETTES[palette][name], PALETTES[palette][on]) >= 4.5


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize(("n", "least"), [(3, 25), (5, 16), (7, 10)])
def test_series_differ_whoever_looks(palette, vision, n, least):
    seen = [lab(np.asarray(VISIONS[vision]) @ linear(PALETTES[palette][name])) for name in SERIES[:n]]
    distances = {(i, j): float(np.linalg.norm(seen[i] - seen[j])) for i, j in itertools.combinations(range(n), 2)}
    assert min(distances.values()) >= least, min(distances, key=distances.__getitem__)


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("vision", VISIONS)
def test_before_and_after_differ_whoever_looks(palette, vision):
    one, other = (lab(np.asarray(VISIONS[vision]) @ linear(PALETTES[palette][name])) for name in ("accent", "neutral"))
    assert np.linalg.norm(one - other) >= 20
