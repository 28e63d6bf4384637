"""Types of the arrays that are passed between the rooms."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Index = NDArray[np.intp]  # positions of rows, or indices of classes
Mask = NDArray[np.bool_]
