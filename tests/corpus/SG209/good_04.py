from string import Template
print(Template('$a').substitute(a=1))
