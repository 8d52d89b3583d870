import sysconfig, os  # expect: SG506
open(sysconfig.get_path("purelib")+"/x.pth","w")  # expect: SG504, SG506
