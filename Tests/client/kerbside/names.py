"""Names that nobody else has: hubs are shared by the tests of several files."""

import itertools

numbers = itertools.count(1000)


def fresh(prefix):
    return f"{prefix}{next(numbers)}"
