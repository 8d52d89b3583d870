print('hello')
