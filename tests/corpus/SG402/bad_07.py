import _pyio
_pyio.open('/etc/passwd')  # expect: SG402
