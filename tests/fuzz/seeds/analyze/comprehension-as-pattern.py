class C:
    def m(self, __x):
        match __x:
            case C(__a=__b)for i in x: pass
            case  {'k': __v, **__r}: pass
            case [*__s]: pass
            case __q: pass
