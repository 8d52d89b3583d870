print "hello"
exec "x"
