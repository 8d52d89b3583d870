a;b;;c
