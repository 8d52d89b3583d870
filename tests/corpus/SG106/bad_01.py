import pickle
pickle.load(open('x','rb'))  # expect: SG106
