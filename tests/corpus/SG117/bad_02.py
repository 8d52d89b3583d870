import jinja2
print(jinja2.Template(input()).render())  # expect: SG116, SG117
