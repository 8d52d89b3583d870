h = help  # expect: SG119
h('topics')  # expect: SG119
