f'{x=}{y!s:{z:>{w}}}{{}}{"a" "b"}'
f"""
{a
}{'''b'''}"""
f'{lambda x: 1}'
f'{(lambda x: 1)}'
