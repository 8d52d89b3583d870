import string
string.Formatter().vformat('{0.__class__}',(1,),{})  # expect: SG207, SG209
