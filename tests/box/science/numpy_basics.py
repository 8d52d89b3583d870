# needs: numpy
"""Arrays: shapes, broadcasting, masks, indexing, sorting."""
import numpy as np

a = np.arange(24).reshape(2, 3, 4)
print(a.shape, a.sum(axis=0).tolist(), a[1, ::2, -1], a.transpose(2, 0, 1).shape, a[..., 1].mean())
grid = np.arange(3)[:, None] * 10 + np.arange(4)
print(grid, grid[grid % 2 == 0], np.where(grid > 15, grid, -1), sep="\n")
print(np.argsort([3, 1, 2]), np.unique([3, 1, 3, 2, 1], return_counts=True), np.searchsorted([1, 3, 5], 4))
print(np.cumsum([1, 2, 3]), np.diff([1, 4, 9, 16]), np.clip([-2, 0.5, 7], 0, 1), np.outer([1, 2], [3, 4]).tolist())
print(np.stack([[1, 2], [3, 4]], axis=1).tolist(), np.concatenate([[1], [2, 3]]), np.split(np.arange(6), 3)[1], np.tile([1, 2], 2))
print(np.einsum("ij,jk->ik", np.eye(2), [[1, 2], [3, 4]]).tolist(), np.tensordot(a, a, axes=3))
print(np.isnan([1, np.nan]), np.nansum([1, np.nan, 2]), np.any([0, 1]), np.all([]), np.count_nonzero(grid))
print(np.array([1, 2, 3], dtype=np.uint8) - np.uint8(2), np.int16(300).astype(np.int8), np.float32(0.1).item() == 0.1)
with np.errstate(divide="ignore", invalid="ignore"):
    print(np.array([1.0, 0.0, -1.0]) / 0)
print(np.percentile(grid, [0, 25, 50, 100]), np.histogram([1, 2, 1, 4], bins=3), np.bincount([0, 1, 1, 3]))
view = a[0]
view[0, 0] = 99
print(a[0, 0, 0], view.base is not None, a.flags["C_CONTIGUOUS"], a.strides, np.shares_memory(a, view))
print(np.lexsort(([1, 0, 1], [2, 2, 1])), np.argmax(grid), np.unravel_index(7, (2, 3, 4)), np.roll([1, 2, 3], 1), np.flip(grid, 0)[0])
