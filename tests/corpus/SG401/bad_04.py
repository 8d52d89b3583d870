import io
io.FileIO('/etc/shadow')  # expect: SG401, SG402
