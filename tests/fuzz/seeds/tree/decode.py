import base64
exec(base64.b64decode('cHJpbnQoMSk='))
exec(bytes.fromhex('7072'))
import codecs
codecs.decode('flf', 'rot13')
