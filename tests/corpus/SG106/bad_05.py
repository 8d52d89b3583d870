import joblib
joblib.load('x')  # expect: SG106
