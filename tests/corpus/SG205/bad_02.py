import re
re.enum.sys.modules['os']  # expect: SG205
