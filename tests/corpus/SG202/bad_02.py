import dis
print(dis.Bytecode(print).codeobj)  # expect: SG202, SG508
