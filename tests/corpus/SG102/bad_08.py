import zipimport  # expect: SG102
