import heapq
heapq.merge.__globals__  # expect: SG202
