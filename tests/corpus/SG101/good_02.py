import torch, torch.nn as nn
class N(nn.Module):
    def __init__(self):
        super().__init__(); self.l = nn.Linear(1,1)
    def forward(self,x): return self.l(x)
m = N(); m.eval(); m.train(); torch.save(m.state_dict(),'m.pt'); print(getattr(nn,'ReLU')())
