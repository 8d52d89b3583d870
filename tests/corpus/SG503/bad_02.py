import resource  # expect: SG503
resource.getrlimit(0)  # expect: SG503
