"""A transformer all of whose blocks compute every token: what one that ends with the summary alone must be equal to."""

from tabcast.models.neural._transformers import TableTransformer


class EveryToken(TableTransformer):
    """Computes all tokens up to the end, then takes the summary."""

    def forward(self, cells):
        tokens = self.dropout(self.tokens(cells))
        for block in self.blocks:
            tokens = block(tokens, tokens.shape[1])
        return self.norm(tokens[:, 0])
