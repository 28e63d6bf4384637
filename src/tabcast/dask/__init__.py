"""The same rounds on a Dask DataFrame of unlabeled rows: for tables that outgrow the memory of a machine."""
