import torch
state = torch.load('m.pt', map_location='cpu', weights_only=True)
print(state)
