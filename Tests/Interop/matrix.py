"""Tables of the results for each phone, which script/interop prints at its end; docs/compliance.md is based on them."""

from pathlib import Path

FILE = Path(__file__).resolve().parent.parent.parent / ".build" / "figures" / "matrices.txt"


class Matrix:
    """A table whose cells are filled by cases."""

    def __init__(self, title, corner, columns, rows):
        self.title = title
        self.corner = corner
        self.columns = columns
        self.rows = rows
        self.cells = {}

    def show(self, row, column, text):
        """Sets the result in a cell."""
        assert row in self.rows and column in self.columns, (row, column)
        self.cells[row, column] = text

    @property
    def is_complete(self):
        return len(self.cells) == len(self.rows) * len(self.columns)

    def text(self):
        """Markdown, and aligned; a cell without a result is a question mark."""
        lines = [[self.corner, *self.columns]]
        lines += [[row, *(self.cells.get((row, column), "?") for column in self.columns)] for row in self.rows]
        widths = [max(len(line[index]) for line in lines) for index in range(len(lines[0]))]
        lines.insert(1, ["-" * width for width in widths])
        table = ("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines)
        return "\n".join([self.title, "", *table])


def report(matrices):
    """Prints the tables with results, and writes all tables if they are complete."""
    begun = [matrix for matrix in matrices if matrix.cells]
    if begun:
        print("\n" + "\n\n".join(matrix.text() for matrix in begun) + "\n")
    if matrices and all(matrix.is_complete for matrix in matrices):
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text("\n\n".join(matrix.text() for matrix in matrices) + "\n")
