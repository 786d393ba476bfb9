"""Which copy was under load in which batch: the shares and degrees of freedom that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Design"]

Floats = NDArray[np.float64]
TINY = float(np.finfo(np.float64).tiny)
# Below this a count of degrees of freedom is rounding.
NOTHING = 1e-6


@dataclass(frozen=True, slots=True)
class Design:
    """The layout of an experiment in batches and copies, made by `Design.of(rounds)`.

    `share` is each cell's share of all rounds, shape (batches, copies); batches and copies without
    rounds are left out, `batches_used` and `copies_used` say which stayed. `fitted` counts the
    degrees of freedom of the batches that are used up by removing what is constant in each copy:
    1 when all copies take part in all batches, the number of draws when they follow one another.
    `draws` has a row for each batch and a column for each set of copies that lived together.
    """

    share: Floats
    batches_used: NDArray[np.bool_]
    copies_used: NDArray[np.bool_]
    fitted: float
    draws: Floats

    @classmethod
    def of(cls, rounds: NDArray[np.int64]) -> Design:
        """The layout of the given counts of rounds, shape (batches, copies), not all zero."""
        batches_used, copies_used = rounds.sum(1) > 0, rounds.sum(0) > 0
        share = rounds[batches_used][:, copies_used] / rounds.sum()
        expected = share.sum(1)[:, None] * share.sum(0)
        _, together = np.unique(share > 0, axis=0, return_inverse=True)
        draws = np.eye(int(together.max()) + 1)[together.ravel()]
        fitted = float((share**2 / expected).sum())
        return cls(share, batches_used, copies_used, fitted, draws)

    @property
    def batches(self) -> int:
        """Batches with at least one round."""
        return int(self.share.shape[0])

    @property
    def copies(self) -> int:
        """Copies with at least one round."""
        return int(self.share.shape[1])

    @property
    def crossed(self) -> bool:
        """Whether every copy takes part in every batch."""
        return bool((self.share > 0).all())

    @property
    def copy_share(self) -> Floats:
        """Share of all rounds by copy."""
        return np.asarray(self.share.sum(0))

    @property
    def concentration(self) -> float:
        """Sum of squared shares of the copies: 1/copies when they are used equally often."""
        return float((self.copy_share**2).sum())

    @property
    def copies_df(self) -> float:
        """Degrees of freedom between the copies of one arm (Satterthwaite, unequal shares)."""
        return self.concentration**2 / float((self.copy_share**4).sum()) - 1.0

    @property
    def noise_df(self) -> float:
        """Degrees of freedom between batches, within the copies."""
        left = self.batches - self.fitted
        return left if left > NOTHING else 0.0

    @property
    def noise_scale(self) -> float:
        """Makes a sum of squared batch residuals an unbiased variance; 0 without such freedom."""
        return self.batches / self.noise_df if self.noise_df else 0.0

    @property
    def cell_scale(self) -> Floats:
        """The same for the residuals of each copy's cells, by copy."""
        left = 1.0 - ((self.share / self.copy_share) ** 2).sum(0)
        return np.where(left > NOTHING, 1.0 / np.maximum(left, NOTHING), 0.0)

    @property
    def between_scale(self) -> float:
        """Makes a sum of squared influences of copies an unbiased variance; 0 with one copy."""
        return sum_of_squares_scale(self.copy_share)


def sum_of_squares_scale(share: Floats) -> float:
    """Corrects a sum of squares of group totals for their sum being zero; n/(n - 1) if equal."""
    squared = float((share**2).sum())
    expected = squared - 2 * float((share**3).sum()) + squared**2
    return squared / expected if expected > TINY else 0.0
