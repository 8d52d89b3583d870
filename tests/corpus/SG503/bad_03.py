import resource  # expect: SG503
resource.setrlimit(resource.RLIMIT_CPU, (1,1))  # expect: SG503
