import textwrap
textwrap.re.enum.sys.modules  # expect: SG205
