"""Two maps of the same plane with one scale of colors."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tabcast.study.figures.confidence_map import common_scale, confidence_map, draw_confidence_map

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402


@pytest.fixture
def data():
    """As a record holds it: plain lists that went through JSON."""
    rng = np.random.default_rng(0)
    values = {
        "x": np.linspace(-3, 3, 12).tolist(),
        "y": np.linspace(0, 4, 7).tolist(),
        "raw": rng.uniform(0.5, 1.0, size=(7, 12)).tolist(),
        "cast": rng.uniform(0.27, 0.93, size=(7, 12)).tolist(),
        "labeled": [[-1.0, 1.0, 0], [-2.0, 2.0, 0], [1.5, 3.0, 1]],
    }
    return json.loads(json.dumps(values))


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_reads_a_record(data):
    plane = confidence_map(data)
    assert plane.raw.shape == plane.cast.shape == (7, 12)
    np.testing.assert_array_equal(plane.points, [[-1.0, 1.0], [-2.0, 2.0], [1.5, 3.0]])
    assert plane.classes == [0, 0, 1]
    assert (plane.low, plane.high) == (0.2, 1.0)


@pytest.mark.parametrize(
    ("smallest", "largest", "scale"), [(0.5, 0.9, (0.5, 0.9)), (0.51, 0.89, (0.5, 0.9)), (0.3, 0.3, (0.3, 0.4))]
)
def test_scale_is_rounded_outward(smallest, largest, scale):
    assert common_scale(np.array([[smallest]]), np.array([[largest]])) == pytest.approx(scale)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"raw": [[0.5] * 7] * 12}, "`raw` in `data` of confidence_map must be 7 x 12, .* got 12 x 7"),
        ({"cast": [[0.5] * 12] * 6}, "`cast` in `data` of confidence_map must be 7 x 12"),
        ({"cast": [[1.5] * 12] * 7}, r"`cast` in `data` of confidence_map must lie in \[0, 1\]; got 1.5 to 1.5"),
        ({"cast": [[float("nan")] * 12] * 7}, r"`cast` in `data` of confidence_map must lie in \[0, 1\]"),
        ({"x": [3.0, 2.0, 1.0]}, "`x` in `data` of confidence_map must be at least two rising numbers"),
        ({"y": [1.0]}, "`y` in `data` of confidence_map must be at least two rising numbers"),
    ],
)
def test_says_what_is_wrong(data, change, message):
    with pytest.raises(ValueError, match=message):
        confidence_map(data | change)


def test_says_what_is_missing(data):
    with pytest.raises(ValueError, match=r"`data` of confidence_map lacks cast, labeled; got x, y, raw"):
        confidence_map({key: data[key] for key in ("x", "y", "raw")})
    with pytest.raises(ValueError, match=r"lacks x, y, raw, cast, labeled; got nothing"):
        confidence_map({})


def test_draws_both_with_one_scale(data):
    plane = confidence_map(data)
    panels = draw_confidence_map(plane, titles=("raw", "CAST-L"))
    assert [ax.get_title() for ax in panels[0]] == ["raw", "CAST-L"]
    meshes = [ax.collections[0] for ax in panels[0]]
    for mesh, values in zip(meshes, (plane.raw, plane.cast), strict=True):
        np.testing.assert_array_equal(np.asarray(mesh.get_array()).reshape(7, 12), values)
        assert mesh.get_clim() == (0.2, 1.0)
    figure = panels[0, 0].figure
    assert [ax.get_ylabel() for ax in figure.axes if ax not in panels[0]] == ["largest confidence"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["labeled, class 0", "labeled, class 1"]
    figure.canvas.draw()


def test_points_lie_on_their_class(data):
    ax = draw_confidence_map(confidence_map(data))[0, 1]
    np.testing.assert_array_equal(ax.collections[1].get_offsets(), [[-1.0, 1.0], [-2.0, 2.0]])
    np.testing.assert_array_equal(ax.collections[2].get_offsets(), [[1.5, 3.0]])
    assert (ax.collections[1].get_facecolor() != ax.collections[2].get_facecolor()).any()


def test_titles_are_inside_the_figure(data):
    figure = draw_confidence_map(confidence_map(data))[0, 0].figure
    figure.canvas.draw()
    for ax in figure.axes:
        box = ax.title.get_window_extent()
        assert box.y1 <= figure.bbox.y1


def test_names_as_classes_no_points_and_given_axes(data):
    figure, axes = plt.subplots(1, 2)
    panels = draw_confidence_map(confidence_map(data | {"labeled": [[0, 1, "yes"], [1, 1, "no"]]}), axes)
    assert panels[0, 1] is axes[1]
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["labeled, class no", "labeled, class yes"]
    assert plt.get_fignums() == [figure.number]
    bare = draw_confidence_map(confidence_map(data | {"labeled": []}))
    assert bare[0, 0].figure.legends == []
    with pytest.raises(ValueError, match=r"`axes` of draw_confidence_map must be 1 x 2 Axes; got 1"):
        draw_confidence_map(confidence_map(data), plt.subplots()[1])
