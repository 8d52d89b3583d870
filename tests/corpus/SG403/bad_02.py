import tempfile
tempfile._shutil.rmtree('x')  # expect: SG403
