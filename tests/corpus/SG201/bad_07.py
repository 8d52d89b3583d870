x=(i for i in ())
x.gi_frame.f_back  # expect: SG201
