print "hello"
exec "x"
