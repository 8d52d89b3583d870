import email.mime.text, email
print(email.message_from_string('a: b\n\nx').get('a'))
