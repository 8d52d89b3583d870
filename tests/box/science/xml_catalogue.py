"""An XML tree parsed, searched, changed and written."""
import io
import xml.dom.minidom
import xml.etree.ElementTree as ET
import xml.sax

SOURCE = """<?xml version="1.0"?>
<catalogue xmlns:x="urn:extra">
  <book id="b1" lang="en"><title>Trees &amp; Rings</title><price>12.50</price></book>
  <book id="b2" lang="fr"><title>Caf\u00e9</title><price>8.00</price><x:note>used</x:note></book>
  <!-- a comment -->
</catalogue>"""
root = ET.fromstring(SOURCE)
print(root.tag, len(root), [b.get("id") for b in root.iter("book")])
print(root.find("book[@lang='fr']/title").text, root.findtext(".//price"), root.findall("{urn:extra}note"))
print(sum(float(p.text) for p in root.iterfind("book/price")), root.find(".//{urn:extra}note").tag)
new = ET.SubElement(root, "book", id="b3")
ET.SubElement(new, "title").text = "<new> & \"quoted\""
root.remove(root[0])
print(ET.tostring(root, encoding="unicode").splitlines()[-1].strip())
ET.ElementTree(root).write("out.xml", encoding="utf-8", xml_declaration=True)
print(ET.parse("out.xml").getroot().find("book[@id='b3']/title").text)
print([(e, n.tag) for e, n in ET.iterparse(io.BytesIO(b"<a><b/><c>1</c></a>"), ["start", "end"])])
try:
    ET.fromstring("<a><b></a>")
except ET.ParseError as error:
    print(error.position)
print(xml.dom.minidom.parseString("<r><i>1</i><i>2</i></r>").toprettyxml(indent=" "))


class Names(xml.sax.ContentHandler):
    def __init__(self):
        super().__init__()
        self.seen = []

    def startElement(self, name, attributes):
        self.seen.append((name, dict(attributes)))


handler = Names()
xml.sax.parseString(b"<a x='1'><b/></a>", handler)
print(handler.seen)
