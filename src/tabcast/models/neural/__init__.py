"""Networks for tables as scikit-learn classifiers, in plain torch: the six neural models of the CAST paper.

They are not imported with the rest of tabcast, because torch is large and optional.
"""

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError(
        "Neural models need PyTorch. Install it with: pip install 'tabcast[nn]'.", name="torch"
    ) from None

from tabcast.models.neural._ft_transformer import FTTransformerClassifier
from tabcast.models.neural._mlp import MLPClassifier

__all__ = [
    "FTTransformerClassifier",
    "MLPClassifier",
]
