import os as _
getattr(_,'sys'+'tem')('ls')  # expect: SG104, SG215
