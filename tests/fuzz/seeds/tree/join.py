s = ''.join(chr(c) for c in [111, 115])
__import__(s)
''.join(['o', 's'])[::-1]
'%s%s' % ('o', 's')
'{}{}'.format('o', 's')
'{0.__class__}'.format(x)
