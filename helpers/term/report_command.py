def add_to(command): pass
