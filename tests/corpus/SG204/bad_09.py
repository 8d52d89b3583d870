match print:
    case object(__self__=m): m.eval('1')  # expect: SG101, SG202, SG204, SG217
