"""FT-Transformer: a transformer over the columns of a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from numpy.random import RandomState
from numpy.typing import ArrayLike
from torch import Generator, nn

from tabcast.checks import check_choice, check_integer, check_number
from tabcast.models.neural._base import NeuralClassifier
from tabcast.models.neural._cells import TableShape
from tabcast.models.neural._layers import Linear
from tabcast.models.neural._transformer import GATES, Block, TableTransformer, Tokens

FEED_FORWARD = 4 / 3  # width of the feed-forward layers over that of tokens, as in the paper's gated variant
DROPOUT = 0.1  # within the blocks


class FTTransformerClassifier(NeuralClassifier):
    """FT-Transformer: each column becomes a token, and the classes are predicted from a summary token.

    Parameters
    ----------
    input_embed_dim : int, default=32
        Length of a token.
    embedding_dropout : float, default=0.1
        Proportion of the tokens' units that are dropped in training.
    share_embedding : bool, default=False
        Whether a quarter of each categorical token is shared by all levels of its column.
    num_heads : int, default=4
        Number of heads of attention; divides `input_embed_dim`.
    num_attn_blocks : int, default=3
        Number of blocks.
    transformer_activation : {"GEGLU", "ReGLU", "SwiGLU"}, default="ReGLU"
        Gated unit of the feed-forward layers.
    use_batch_norm : bool, default=False
        Whether the summary is normalized by batch before the classes are predicted, instead of by row.
    batch_norm_continuous_input : bool, default=False
        Whether numbers are normalized by batch.
    learning_rate : float, default=0.001
        Initial step size of AdamW.
    scheduler_gamma : float, default=0.95
        Factor that lowers the learning rate every `scheduler_step_size` epochs.
    scheduler_step_size : int, default=10
        Number of epochs between two changes of the learning rate.
    categorical_features : array-like of str, int or bool, default=None
        The categorical columns, by name, position or mask. None infers them from the types.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as scikit-learn defines them.
    epochs : int, default=60
        Maximum number of passes over the training rows; exactly so many with fewer than 100 rows.
    batch_size : int or "auto", default="auto"
        Rows in each step of training. "auto": 32 up to 2,000 rows, then more.
    device : str, default="cpu"
        Device of torch to train on.
    random_state : int, RandomState instance or None, default=None
        Seed. None draws one from the operating system; no global random state is used.
    verbose : int, default=0
        Whether a progress bar is shown while it trains.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    n_epochs_ : int
        Number of epochs of the fitted network.
    n_features_in_ : int
        Columns of the table.
    encoder_ : TableEncoder
        The encoding of tables.
    architecture_ : dict
        Parameters of the fitted network.
    weights_ : dict of str to ndarray
        Weights of the fitted network.

    See Also
    --------
    MLPClassifier : Faster, and often as good.

    References
    ----------
    Gorishniy, Rubachev, Khrulkov, Babenko. Revisiting deep learning models for tabular data. NeurIPS 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tabcast.models.neural import FTTransformerClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FTTransformerClassifier(num_attn_blocks=2, learning_rate=0.01, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    ARCHITECTURE = (
        "input_embed_dim",
        "embedding_dropout",
        "share_embedding",
        "num_heads",
        "num_attn_blocks",
        "transformer_activation",
        "use_batch_norm",
        "batch_norm_continuous_input",
    )

    def __init__(
        self,
        *,
        input_embed_dim: int = 32,
        embedding_dropout: float = 0.1,
        share_embedding: bool = False,
        num_heads: int = 4,
        num_attn_blocks: int = 3,
        transformer_activation: Literal["GEGLU", "ReGLU", "SwiGLU"] = "ReGLU",
        use_batch_norm: bool = False,
        batch_norm_continuous_input: bool = False,
        learning_rate: float = 0.001,
        scheduler_gamma: float = 0.95,
        scheduler_step_size: int = 10,
        categorical_features: ArrayLike | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        epochs: int = 60,
        batch_size: int | Literal["auto"] = "auto",
        device: str = "cpu",
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.input_embed_dim = input_embed_dim
        self.embedding_dropout = embedding_dropout
        self.share_embedding = share_embedding
        self.num_heads = num_heads
        self.num_attn_blocks = num_attn_blocks
        self.transformer_activation = transformer_activation
        self.use_batch_norm = use_batch_norm
        self.batch_norm_continuous_input = batch_norm_continuous_input
        self.learning_rate = learning_rate
        self.scheduler_gamma = scheduler_gamma
        self.scheduler_step_size = scheduler_step_size
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.epochs = epochs
        self.batch_size = batch_size
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def _check(self) -> None:
        check_number(self.embedding_dropout, "embedding_dropout", self._name, "[0, 1)")
        check_integer(self.num_attn_blocks, "num_attn_blocks", self._name, 1)
        check_choice(self.transformer_activation, GATES, f"transformer_activation of {self._name}")
        check_integer(self.num_heads, "num_heads", self._name, 1)
        check_integer(self.input_embed_dim, "input_embed_dim", self._name, 1)
        if self.input_embed_dim % self.num_heads:
            raise ValueError(
                f"`num_heads` of {self._name} must divide `input_embed_dim`; got {self.num_heads} and "
                f"{self.input_embed_dim}."
            )

    def _build_encoder(self, shape: TableShape, generator: Generator) -> TableTransformer:
        width = self.input_embed_dim
        share, batch_norm = self.share_embedding, self.batch_norm_continuous_input
        tokens = Tokens(shape, width, generator, share=share, batch_norm=batch_norm)
        hidden = round(FEED_FORWARD * width)
        kind = (width, self.num_heads, hidden, self.transformer_activation, DROPOUT, generator)
        blocks = [Block(*kind, first=position == 0) for position in range(self.num_attn_blocks)]
        norm = nn.BatchNorm1d if self.use_batch_norm else nn.LayerNorm
        summary_norm = norm(width, device=generator.device)
        return TableTransformer(tokens, blocks, summary_norm, self.embedding_dropout, generator)

    def _build_head(self, width: int, n_classes: int, generator: Generator) -> nn.Sequential:
        return nn.Sequential(nn.ReLU(), Linear(width, n_classes, generator))
