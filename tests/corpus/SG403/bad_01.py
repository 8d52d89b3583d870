import zipfile
zipfile.shutil.rmtree('x')  # expect: SG403
