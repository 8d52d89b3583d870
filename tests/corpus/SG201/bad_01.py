import traceback
traceback.walk_stack(None)  # expect: SG201
