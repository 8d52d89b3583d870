def system(cmd): return cmd.upper()
print(system('x'))
def open_account(n): return n
class Account:
    def open(self): return 1
    def exec(self, q): return q
    def eval(self): return 2
    def compile(self): return 3
    def system(self): return 4
a = Account(); print(a.open(), a.exec('x'), a.eval(), a.compile(), a.system())
