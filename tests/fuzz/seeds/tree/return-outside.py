return 1
break
continue
yield
await x
