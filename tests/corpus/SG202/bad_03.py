f"{print.__self__}"  # expect: SG202, SG204, SG217
