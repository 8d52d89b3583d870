import re
re.sre_compile.sys if hasattr(re,'sre_compile') else re._compiler.sys  # expect: SG216
