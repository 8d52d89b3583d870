format_map=str.format_map
format_map('{x.__class__}',{'x':1})  # expect: SG209
