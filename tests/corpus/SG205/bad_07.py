import base64
base64.struct
base64.re._compiler if 0 else base64.re.enum.sys.modules  # expect: SG205
