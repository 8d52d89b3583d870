from jinja2 import Template as T  # expect: SG116
T('{{ x.__init__ }}').render(x=1)  # expect: SG116, SG117
