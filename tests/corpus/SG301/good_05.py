import ipaddress
print(ipaddress.ip_network('10.0.0.0/8').num_addresses)
