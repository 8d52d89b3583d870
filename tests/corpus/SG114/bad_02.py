from pstats import Stats as S
def show(name):
    S(name).print_stats()  # expect: SG114
show('run.prof')
