from string import Template
print(Template('{{ $x }}').substitute(x=1))
