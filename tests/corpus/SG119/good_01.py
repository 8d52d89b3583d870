import doctest


def double(x):
    """
    >>> double(2)
    4
    """
    return 2 * x


doctest.testmod()
