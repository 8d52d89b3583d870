async def c(): pass
c().cr_frame  # expect: SG201
