import tempfile
tempfile.tempdir = "/x"  # expect: SG210
