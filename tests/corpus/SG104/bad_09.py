import ｏs
os.getcwd()
os.system('x')  # expect: SG104
