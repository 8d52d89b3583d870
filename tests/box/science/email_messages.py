"""Messages composed and parsed; nothing is sent."""
import email
import email.policy
import mimetypes
from email.header import decode_header
from email.message import EmailMessage
from email.utils import format_datetime, formataddr, getaddresses, parsedate_to_datetime
import datetime

message = EmailMessage()
message["From"] = formataddr(("Ann Ö.", "ann@example.org"))
message["To"] = "bob@example.org, \"Cid, Jr.\" <cid@example.org>"
message["Subject"] = "Grüße aus Köln"
message["Date"] = format_datetime(datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc))
message.set_content("Hello,\n\nsee the table.\n")
message.add_alternative("<p>Hello</p>", subtype="html")
message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="table.csv")
message.set_boundary("frontier")
raw = message.as_bytes()
print(raw.splitlines()[0], len(raw.splitlines()) > 20)
back = email.message_from_bytes(raw, policy=email.policy.default)
print(back["subject"], back["from"].addresses[0].display_name, back.is_multipart())
print([part.get_content_type() for part in back.walk()])
print(back.get_body(("plain",)).get_content().splitlines()[0], [a.get_filename() for a in back.iter_attachments()])
print(next(back.iter_attachments()).get_payload(decode=True))
print(getaddresses(["a <a@x.org>, b@y.org"]), parsedate_to_datetime(back["date"]).isoformat())
print(decode_header("=?utf-8?q?Caf=C3=A9?= ok"), mimetypes.types_map[".html"])
