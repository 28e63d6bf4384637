"""One curve for all classes, learned with its own uncertainty: a latent Gaussian process over log-probabilities."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.utils import check_random_state

from tabcast.checks import check_integer
from tabcast.confidence._calibration import Calibrator, log_probabilities
from tabcast.table import Floats, Index

FLOOR = 1e-6  # smaller probabilities count as this: a predicted 0 is not exact to fifteen digits
JITTER = 1e-6  # proportion of the kernel's scale that is added to diagonals before they are factorized
LENGTHSCALES, OUTPUTSCALES = (0.1, 30.0), (1e-4, 100.0)  # log-probabilities span 14: beyond these nothing changes
N_DRAWS = 16  # of the latent values of each held-out row, in opposite pairs


def choose_inducing_points(log_proba: Floats, n_points: int) -> Floats:
    """Quantiles of all log-probabilities, from the smallest to the largest, without repetitions."""
    return np.unique(np.quantile(log_proba, np.linspace(0, 1, n_points)))


def rbf(a: Floats, b: Floats, lengthscale: float, outputscale: float) -> Floats:
    """Kernel of each number of `a` with each of `b`: ``outputscale * exp(-(a - b)^2 / (2 lengthscale^2))``."""
    return outputscale * np.exp(-0.5 * cdist(a[:, None], b[:, None], "sqeuclidean") / lengthscale**2)


class GaussianProcessCalibration(Calibrator):
    """Calibrate log-probabilities by one smooth function for all classes, as far as held-out rows justify it.

    Choose it for good probabilities (small log-loss) from a hundred to some thousand held-out rows. It is more flexible
    than a temperature and learns from all classes at once; few held-out rows change little. It cannot correct a single
    class, because all share the function. It takes a second or two for 1,000 rows. Needs gpytorch:
    ``pip install 'tabcast[gp]'``.

    Parameters
    ----------
    n_inducing_points : int, default=10
        Number of points at which the function is learned, quantiles of the held-out log-probabilities.
    max_iter : int, default=100
        Maximum number of steps of the optimizer (L-BFGS).
    random_state : int, RandomState instance or None, default=None
        Seed of the draws with which the expected log-likelihood is estimated. They are drawn once, so the
        result is the same for the same seed; torch's own random state is not used.

    Attributes
    ----------
    inducing_points_ : ndarray
        Log-probabilities at which the function was learned.
    weights_ : ndarray
        Their weights: the function is ``f(z) = z + kernel(z, inducing_points_) @ weights_``.
    lengthscale_ : float
        Length scale of the kernel.
    outputscale_ : float
        Output scale of the kernel.
    elbo_ : float
        The objective that was reached, per held-out row.
    n_classes_ : int
        Number of columns of the probabilities.

    See Also
    --------
    TemperatureScaling : A single parameter, for few held-out rows.
    SplineCalibration : A smooth curve per class, without gpytorch.

    Notes
    -----
    The model: ``f`` is a Gaussian process with mean ``z`` and a squared-exponential kernel, and the class of a row with
    log-probabilities ``z_1 .. z_K`` is drawn from ``softmax(f(z_1), .., f(z_K))``. Its posterior is approximated by a
    Gaussian at the inducing points, fitted together with the kernel's two parameters by maximizing the evidence lower
    bound; the K latent values of a row are drawn jointly. Prediction uses the posterior mean of f and not draws, so it
    is deterministic and needs neither torch nor gpytorch. Probabilities below 1e-6 count as 1e-6.

    References
    ----------
    Wenger, Kjellström, Triebel (2020). Non-parametric calibration for classification. AISTATS.

    Examples
    --------
    A hundred held-out rows at 95%, of which seventy are right:

    >>> import numpy as np
    >>> from tabcast.confidence import GaussianProcessCalibration
    >>> proba, y = np.tile([0.95, 0.05], (100, 1)), np.array([0] * 70 + [1] * 30)
    >>> process = GaussianProcessCalibration(random_state=0).calibrate(proba, y)  # doctest: +SKIP
    >>> process.adjust(np.array([[0.95, 0.05]])).round(2)  # doctest: +SKIP
    array([[0.71, 0.29]])
    """

    def __init__(
        self,
        n_inducing_points: int = 10,
        *,
        max_iter: int = 100,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_inducing_points = n_inducing_points
        self.max_iter = max_iter
        self.random_state = random_state

    def _learn(self, proba: Floats, y: Index) -> None:
        check_integer(self.n_inducing_points, "n_inducing_points", "GaussianProcessCalibration", 1)
        check_integer(self.max_iter, "max_iter", "GaussianProcessCalibration", 1)
        log_proba = log_probabilities(proba, FLOOR)
        half = check_random_state(self.random_state).standard_normal((N_DRAWS // 2, *proba.shape))
        self.inducing_points_ = choose_inducing_points(log_proba, self.n_inducing_points)
        latent = _LatentProcess(self.inducing_points_)
        self.elbo_ = latent.fit(log_proba, y, np.concatenate([half, -half]), self.max_iter)
        self.lengthscale_, self.outputscale_ = latent.kernel_parameters
        self.weights_ = latent.weights

    def _apply(self, proba: Floats) -> Floats:
        log_proba = log_probabilities(proba, FLOOR)
        kernel = rbf(log_proba.ravel(), self.inducing_points_, self.lengthscale_, self.outputscale_)
        return softmax(log_proba + (kernel @ self.weights_).reshape(log_proba.shape), axis=1)


class _LatentProcess:
    """The variational posterior of f - z at the inducing points, in torch and double precision."""

    def __init__(self, inducing_points: Floats) -> None:
        self.torch, self.gpytorch = torch, gpytorch = _import_gpytorch()
        size = len(inducing_points)
        self.points = torch.as_tensor(inducing_points)[:, None]
        within = gpytorch.constraints.Interval
        base = gpytorch.kernels.RBFKernel(lengthscale_constraint=within(*LENGTHSCALES))
        self.kernel = gpytorch.kernels.ScaleKernel(base, outputscale_constraint=within(*OUTPUTSCALES)).double()
        base.lengthscale, self.kernel.outputscale = 1.0, 1.0
        self.variational = gpytorch.variational.CholeskyVariationalDistribution(size).double()
        self.eye = torch.eye(size, dtype=torch.float64)
        self.prior = gpytorch.distributions.MultivariateNormal(torch.zeros(size, dtype=torch.float64), self.eye)

    def fit(self, log_proba: Floats, y: Index, draws: Floats, max_iter: int) -> float:
        """Maximize the evidence lower bound; its value per row."""
        torch = self.torch
        inputs = [torch.as_tensor(array) for array in (log_proba, y, draws)]
        parameters = [*self.kernel.parameters(), *self.variational.parameters()]
        optimizer = torch.optim.LBFGS(parameters, max_iter=max_iter, line_search_fn="strong_wolfe")

        def closure() -> Any:
            optimizer.zero_grad()
            loss = -self.elbo(*inputs)
            loss.backward()
            return loss

        settings = self.gpytorch.settings
        # Kernels as plain tensors, and no checks: the same numbers in 15% less time.
        with settings.debug(False), settings.lazily_evaluate_kernels(False):
            optimizer.step(closure)
            with torch.no_grad():
                return float(self.elbo(*inputs))

    def elbo(self, log_proba: Any, y: Any, draws: Any) -> Any:
        """Mean expected log-likelihood less the divergence from the prior per row."""
        torch = self.torch
        posterior = self.variational()
        mean, factor = self.marginals(log_proba, posterior)
        latent = log_proba + mean + (factor @ draws[..., None]).squeeze(-1)
        log_likelihood = torch.log_softmax(latent, dim=-1).mean(dim=0).gather(1, y[:, None]).sum()
        divergence = torch.distributions.kl_divergence(posterior, self.prior)
        return (log_likelihood - divergence) / len(y)

    def root(self) -> Any:
        """Factor of the prior covariance at the inducing points."""
        covariance = self.kernel(self.points).to_dense()
        return self.torch.linalg.cholesky(covariance + JITTER * self.kernel.outputscale * self.eye)

    def marginals(self, log_proba: Any, posterior: Any) -> tuple[Any, Any]:
        """For each row the mean of its K latent values and the factor of their covariance."""
        torch = self.torch
        n_rows, n_classes = log_proba.shape
        root = self.root()
        cross = self.kernel(self.points, log_proba.reshape(-1, 1)).to_dense()
        whitened = torch.linalg.solve_triangular(root, cross, upper=False).T.reshape(n_rows, n_classes, -1)
        spread = whitened @ posterior.lazy_covariance_matrix.cholesky().to_dense()
        covariance = self.kernel(log_proba[..., None]).to_dense() - whitened @ whitened.mT + spread @ spread.mT
        noise = JITTER * self.kernel.outputscale * torch.eye(n_classes, dtype=torch.float64)
        return whitened @ posterior.mean, torch.linalg.cholesky(covariance + noise)

    @property
    def kernel_parameters(self) -> tuple[float, float]:
        """Lengthscale and outputscale."""
        return self.kernel.base_kernel.lengthscale.item(), self.kernel.outputscale.item()

    @property
    def weights(self) -> Floats:
        """What the kernel to each inducing point is multiplied with in the posterior mean."""
        with self.torch.no_grad():
            mean = self.variational().mean[:, None]
            solved = self.torch.linalg.solve_triangular(self.root().mT, mean, upper=True)
        return np.asarray(solved[:, 0].numpy(), dtype=np.float64)


def _import_gpytorch() -> tuple[Any, Any]:
    """Torch and gpytorch, or an error that explains how to install them."""
    try:
        with warnings.catch_warnings():
            # Importing gpytorch compiles functions in a way that torch announces to drop: nothing a user could change.
            warnings.simplefilter("ignore", DeprecationWarning)
            import gpytorch
            import torch
    except ImportError as error:
        raise ImportError(
            "GaussianProcessCalibration needs gpytorch. Install it with: pip install 'tabcast[gp]'."
        ) from error
    return torch, gpytorch
