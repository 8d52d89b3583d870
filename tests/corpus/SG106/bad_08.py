import torch
torch.load('x')  # expect: SG106
