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

from tabcast.models.neural._mlp import MLPClassifier
from tabcast.models.neural._scarf import SCARFClassifier
from tabcast.models.neural._subtab import SubTabClassifier
from tabcast.models.neural._transformers import FTTransformerClassifier, SwitchTabClassifier
from tabcast.models.neural._vime import VIMEClassifier

__all__ = [
    "FTTransformerClassifier",
    "MLPClassifier",
    "SCARFClassifier",
    "SubTabClassifier",
    "SwitchTabClassifier",
    "VIMEClassifier",
]
