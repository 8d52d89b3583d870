__builtins__['ev' + 'al']('1')
getattr(__builtins__, 'exec')('x')
globals()['__builtins__'].eval
vars()['x']
