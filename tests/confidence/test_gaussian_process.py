"""GaussianProcessCalibration: its arithmetic against gpytorch's own, its seed, and life without gpytorch."""

from __future__ import annotations

import pickle
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.metrics import log_loss

from tabcast.confidence import GaussianProcessCalibration
from tabcast.confidence._gaussian_process import JITTER, _LatentProcess, choose_inducing_points, rbf

needs_gpytorch = pytest.mark.skipif(find_spec("gpytorch") is None, reason="gpytorch is not installed")


def draw_rows(n_rows, n_classes, factor, seed=0):
    """Over-confident probabilities, the true ones, and classes drawn from these."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(n_rows, n_classes))
    truth = softmax(logits, axis=1)
    y = (truth.cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1)
    return softmax(factor * logits, axis=1), truth, y


@needs_gpytorch
class TestCalibration:
    def test_comes_near_the_true_probabilities(self):
        proba, _, y = draw_rows(600, 4, 3.0)
        new, truth, _ = draw_rows(400, 4, 3.0, seed=1)
        adjusted = GaussianProcessCalibration(random_state=0).calibrate(proba, y).adjust(new)
        assert np.abs(adjusted - truth).mean() < 0.03 < 0.1 < np.abs(new - truth).mean()

    @pytest.mark.slow
    def test_lowers_the_log_loss_where_no_temperature_could(self):
        # Right up to a logit of 1, and no better beyond it.
        rng = np.random.default_rng(0)
        logits = rng.uniform(-6, 6, size=3000)
        y = (rng.random(3000) < expit(np.clip(logits, -1, 1))).astype(int)
        proba = np.column_stack([expit(-logits), expit(logits)])
        part = GaussianProcessCalibration(random_state=0).calibrate(proba[:1000], y[:1000])
        temperature = min(
            log_loss(y[1000:], softmax(np.log(proba[1000:]) * b, axis=1)) for b in np.linspace(0.1, 2, 39)
        )
        assert log_loss(y[1000:], part.adjust(proba[1000:])) < temperature - 0.005

    def test_the_example_of_the_docstring(self):
        proba, y = np.tile([0.95, 0.05], (100, 1)), np.array([0] * 70 + [1] * 30)
        part = GaussianProcessCalibration(random_state=0).calibrate(proba, y)
        np.testing.assert_array_equal(part.adjust(np.array([[0.95, 0.05]])).round(2), [[0.71, 0.29]])

    def test_few_rows_change_little(self):
        proba, _, y = draw_rows(300, 3, 3.0)
        few, many = (GaussianProcessCalibration(random_state=0).calibrate(proba[:n], y[:n]) for n in (3, 300))
        assert np.abs(few.adjust(proba) - proba).mean() < np.abs(many.adjust(proba) - proba).mean() / 2


def test_inducing_points_span_the_log_probabilities_without_repetition():
    points = choose_inducing_points(np.log([[0.5, 0.5], [0.5, 0.5], [0.9, 0.1]]), 5)
    np.testing.assert_allclose(points, np.log([0.1, 0.5, 0.9]))


@needs_gpytorch
def test_posterior_of_the_latent_values_equals_that_of_gpytorch():
    """Our blocks of K latent values a row against gpytorch's VariationalStrategy with the same parameters."""
    proba, _, y = draw_rows(30, 3, 2.0)
    log_proba = np.log(proba)
    points = choose_inducing_points(log_proba, 6)
    latent = _LatentProcess(points)
    draws = np.random.default_rng(0).normal(size=(8, *proba.shape))
    latent.fit(log_proba, y, draws, 20)
    torch, gpytorch = latent.torch, latent.gpytorch

    class Peer(gpytorch.models.ApproximateGP):
        def __init__(self):
            jitter = JITTER * latent.kernel.outputscale.item()
            strategy = gpytorch.variational.VariationalStrategy(
                self, latent.points, latent.variational, learn_inducing_locations=False, jitter_val=jitter
            )
            super().__init__(strategy)
            self.mean = gpytorch.means.ZeroMean()

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean(x), latent.kernel(x))

    peer = Peer().double().train()
    peer.variational_strategy.variational_params_initialized.fill_(1)
    z = torch.as_tensor(log_proba)
    with torch.no_grad():
        theirs = peer(z[..., None])
        mean, factor = latent.marginals(z, latent.variational())
        divergence = torch.distributions.kl_divergence(latent.variational(), latent.prior).item()
        np.testing.assert_allclose(mean, theirs.mean, atol=1e-8)
        np.testing.assert_allclose(factor @ factor.mT, theirs.covariance_matrix, atol=1e-12)
        assert divergence == pytest.approx(peer.variational_strategy.kl_divergence().item(), rel=1e-8)
    kernel = rbf(log_proba.ravel(), points, *latent.kernel_parameters)
    np.testing.assert_allclose(kernel @ latent.weights, mean.ravel(), atol=1e-8)


@needs_gpytorch
class TestSeed:
    def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(self):
        proba, _, y = draw_rows(50, 3, 3.0)
        one, same, other = (
            GaussianProcessCalibration(max_iter=20, random_state=seed).calibrate(proba, y).adjust(proba)
            for seed in (0, 0, 1)
        )
        np.testing.assert_array_equal(one, same)
        assert 0 < np.abs(one - other).max() < 0.05

    def test_the_random_state_and_the_defaults_of_torch_stay_as_they_were(self):
        torch = pytest.importorskip("torch")
        proba, _, y = draw_rows(50, 3, 3.0)
        before, dtype, grad = torch.get_rng_state(), torch.get_default_dtype(), torch.is_grad_enabled()
        first = GaussianProcessCalibration(max_iter=5, random_state=0).calibrate(proba, y).weights_
        assert torch.equal(torch.get_rng_state(), before)
        assert (torch.get_default_dtype(), torch.is_grad_enabled()) == (dtype, grad)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(123)
            second = GaussianProcessCalibration(max_iter=5, random_state=0).calibrate(proba, y).weights_
        np.testing.assert_array_equal(first, second)


class TestWithoutGpytorch:
    def test_says_how_to_install_it(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "gpytorch", None)
        sentence = "GaussianProcessCalibration needs gpytorch. Install it with: pip install 'tabcast[gp]'."
        with pytest.raises(ImportError) as caught:
            GaussianProcessCalibration().calibrate(np.array([[0.5, 0.5]]), np.array([0]))
        assert str(caught.value) == sentence

    @needs_gpytorch
    def test_a_calibrated_part_needs_it_no_more(self, monkeypatch):
        proba, _, y = draw_rows(50, 3, 3.0)
        part = GaussianProcessCalibration(max_iter=5, random_state=0).calibrate(proba, y)
        expected = part.adjust(proba)
        for name in ("gpytorch", "torch"):
            monkeypatch.setitem(sys.modules, name, None)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(part)).adjust(proba), expected)
