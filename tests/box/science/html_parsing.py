"""HTML escaped, unescaped and parsed for links and tables."""
import html
import html.parser
import html.entities


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.links, self.rows, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self.links.append(dict(attrs).get("href"))
        elif tag == "tr":
            self.rows.append([])

    def handle_data(self, data):
        data = data.strip()
        if data and self.rows and self.get_starttag_text().startswith("<td"):
            self.rows[-1].append(data)
        elif data:
            self.text.append(data)


page = Page()
page.feed("""<h1>Title &amp; more</h1><p>See <a href="/a?x=1&amp;y=2">one</a> or <a href='b.html'>two</a><br/>
<table><tr><td>1<td>2</tr><tr><td>3</td><td>4 &lt; 5</td></tr></table>""")
page.close()
print(page.links, page.rows, page.text)
print(html.escape("<a href=\"x\">'&'</a>"), html.escape("'", quote=False))
print(html.unescape("&eacute;&#233;&#xe9;&nbsp;&notanentity; &lt"), html.entities.name2codepoint["euro"])
