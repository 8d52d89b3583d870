import doctest
def f():
    '''
    >>> __import__('this')
    '''
doctest.testmod()  # expect: SG119
