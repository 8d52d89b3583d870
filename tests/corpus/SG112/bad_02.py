import torch
torch.os.system('x')  # expect: SG112, SG216
