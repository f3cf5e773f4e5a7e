"""Tables of measurements, as `make bench` prints them."""


def print_table(title, header, rows):
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    rule = "  ".join("-" * width for width in widths)
    print("\n".join(["", title, lines[0], rule, *lines[1:]]))
