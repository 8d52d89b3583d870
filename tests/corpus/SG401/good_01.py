import tarfile
with tarfile.open('a.tar.gz','w:gz') as t: t.add('x')
