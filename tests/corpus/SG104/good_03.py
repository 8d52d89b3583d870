s = 'import os; os.system("x")'
print(len(s), s.count('os'))
