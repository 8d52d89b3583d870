if a:
	b
        c
