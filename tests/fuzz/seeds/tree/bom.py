﻿print(1)
