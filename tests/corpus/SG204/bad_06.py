bi = __builtins__ if isinstance(__builtins__, dict) else __builtins__.__dict__  # expect: SG204, SG217
bi["eval"]("1")  # expect: SG101, SG204
