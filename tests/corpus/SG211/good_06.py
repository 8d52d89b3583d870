import sys
sys.stdin.readline(); data = sys.stdin.read().split(); print(len(data))
