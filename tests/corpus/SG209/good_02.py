print('{0.real} {1[a]} {x!r:>10}'.format(1, {'a':2}, x=3), '%s' % 1, f'{1:.2f}')
