"""Tables: rows, columns, labels, encoders. First stage of the walk."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Index = NDArray[np.intp]  # positions of rows, or indices of classes
Mask = NDArray[np.bool_]

__all__ = ["Floats", "Index", "Mask"]
