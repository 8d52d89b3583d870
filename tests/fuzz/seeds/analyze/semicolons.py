a;b;;c
