`a`
a <> b
a ? b
$
!x
