import pickle
with open('m.pkl','wb') as f: pickle.dump({'a':1}, f)
