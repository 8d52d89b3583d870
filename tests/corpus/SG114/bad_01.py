import torch
state = torch.load('m.pt', map_location='cpu')  # expect: SG114
