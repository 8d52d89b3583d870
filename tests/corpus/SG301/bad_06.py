import smtplib  # expect: SG301
smtplib.SMTP('h')  # expect: SG301
