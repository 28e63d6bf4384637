"""The training loop: batches of rows, AdamW with a stepwise learning rate, early stopping on held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil

import torch
from torch import Generator, Tensor, nn

from tabcast.progress import Progress

PATIENCE = 10  # epochs without a smaller loss on the held-out rows before training stops
MAX_NORM = 1.0  # gradients are scaled down to this length: a large step must not end in NaN


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train.

    Attributes
    ----------
    epochs : int
        Number of passes over the rows, at most.
    batch_size : int
        Number of rows per step.
    learning_rate : float
        Step size at first.
    step_size : int
        Number of epochs after which the learning rate is multiplied by `gamma`, again and again.
    gamma : float
        The factor.
    weight_decay : float
        Decoupled weight decay of AdamW.
    """

    epochs: int
    batch_size: int
    learning_rate: float
    step_size: int = 1
    gamma: float = 1.0
    weight_decay: float = 0.0


def batches(n_rows: int, batch_size: int, generator: Generator) -> Iterator[Tensor]:
    """Yield all rows in random order, in batches of almost equal size: none of a single row if there are more.

    Examples
    --------
    >>> import torch
    >>> from tabcast.models.neural._training import batches
    >>> [len(rows) for rows in batches(129, 32, torch.Generator())]
    [26, 26, 26, 26, 25]
    >>> [len(rows) for rows in batches(3, 2, torch.Generator())]
    [3]
    """
    n_batches = max(1, min(ceil(n_rows / batch_size), n_rows // 2))
    yield from torch.randperm(n_rows, generator=generator, device=generator.device).tensor_split(n_batches)


def train(
    network: nn.Module,
    loss: Callable[[Tensor], Tensor],
    n_rows: int,
    schedule: Schedule,
    generator: Generator,
    progress: Progress,
    held_out_loss: Callable[[], float] | None = None,
) -> int:
    """Train a network, and return the number of epochs it was trained for.

    Parameters
    ----------
    network : Module
        The network, which is changed.
    loss : callable
        From the positions of a batch of rows to their loss.
    n_rows : int
        Number of training rows.
    schedule : Schedule
        How long and how fast to train.
    generator : Generator
        Source of the batches.
    progress : Progress
        Advances with every epoch.
    held_out_loss : callable, default=None
        Loss on held-out rows. The network ends with the weights of the epoch in which it was smallest, and training
        stops when it has not become smaller for ten epochs. None: as many epochs as scheduled.
    """
    parameters = [one for one in network.parameters() if one.requires_grad]
    rate, decay = schedule.learning_rate, schedule.weight_decay
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=decay, fused=True)
    best, best_loss, best_epoch = None, float("inf"), schedule.epochs
    for epoch in range(schedule.epochs):
        optimizer.param_groups[0]["lr"] = rate * schedule.gamma ** (epoch // schedule.step_size)
        network.train()
        for rows in batches(n_rows, schedule.batch_size, generator):
            optimizer.zero_grad()
            loss(rows).backward()
            nn.utils.clip_grad_norm_(parameters, MAX_NORM)
            optimizer.step()
        progress.advance()
        if held_out_loss is None:
            continue
        network.eval()
        current = held_out_loss()
        if current < best_loss:
            best, best_loss, best_epoch = copy_state(network), current, epoch + 1
        elif epoch + 1 >= best_epoch + PATIENCE:
            break
    if best is not None:
        network.load_state_dict(best)
    network.eval()
    return best_epoch


def copy_state(network: nn.Module) -> dict[str, Tensor]:
    """Copy the weights and statistics of a network."""
    return {name: values.detach().clone() for name, values in network.state_dict().items()}
