"""Which rows to label next, the file of labels, and the page on which rows are labeled."""

__all__: list[str] = []
