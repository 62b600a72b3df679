"""Dead links: every relative link, anchor and figure of the documentation leads somewhere.

usage: links.py markdown ROOT    README.md, CONTRIBUTING.md, CHANGELOG.md and docs/ as they lie in the tree
       links.py site FOLDER      the pages that scripts/docs has built, which also may not need anything from another server
       links.py --self-test      both can fail
"""

import html.parser
import pathlib
import re
import sys
import tempfile
import urllib.parse


def without_code(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.M)
    text = re.sub(r"^(    .*\n)+", "", text, flags=re.M)
    return text


def github_anchor(heading):
    """As GitHub names a heading: lower case, punctuation gone, blanks as dashes."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


class Markdown:
    def __init__(self, path):
        text = without_code(path.read_text(encoding="utf-8"))
        prose = re.sub(r"`[^`\n]*`", "", text)
        self.links = re.findall(r"\]\(([^)\s]+)\)", prose)
        self.anchors = {github_anchor(heading) for heading in re.findall(r"^#+ +(.+)$", text, re.M)}
        self.foreign = []


class Html(html.parser.HTMLParser):
    """What a page links to, what can be linked to in it, and what it would fetch from elsewhere."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.foreign = [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.update(attributes[key] for key in ("id", "name") if attributes.get(key))
        for key in ("href", "src"):
            link = attributes.get(key)
            if link is None:
                continue
            self.links.append(link)
            if tag != "a" and re.match(r"(\w+:)?//", link) and attributes.get("rel") != "canonical":
                self.foreign.append(link)


def dead(page, path, read, pages):
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        place = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path.resolve()
        if not place.exists():
            yield f"{path}: {link} is not there"
        elif parts.fragment and place.suffix in (".md", ".html"):
            if place not in pages:
                pages[place] = read(place)
            if urllib.parse.unquote(parts.fragment) not in pages[place].anchors:
                yield f"{path}: {link}: no such heading"


def mistakes(paths, read):
    pages = {path.resolve(): read(path) for path in paths}
    found = [f"{path}: needs {link}" for path, page in pages.items() for link in page.foreign]
    for path in paths:
        found += dead(pages[path.resolve()], path, read, pages)
    return found, sum(len(page.links) for page in pages.values())


def of_tree(root):
    paths = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((root / "docs").rglob("*.md"))
    return mistakes([path for path in paths if path.exists()], Markdown)


def of_site(folder):
    # 404.html is served for any address, so its links begin at the root of a server.
    return mistakes([path for path in sorted(folder.rglob("*.html")) if path.name != "404.html"], Html)


def self_test():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "docs").mkdir()
        (folder / "docs" / "a.md").write_text("# The `a` page\n\n    [code](nowhere.md)\n\n`[code](nowhere.md)`\n")
        (folder / "README.md").write_text("[a](docs/a.md#the-a-page) [b](docs/b.md) [c](docs/a.md#c) ![d](d.svg)\n")
        found, count = of_tree(folder)
        assert count == 4 and len(found) == 3, found
        (folder / "index.html").write_text('<h1 id="x"></h1><a href="#x"></a><a href="#y"></a><script src="//a.b/c.js"></script>')
        found, count = of_site(folder)
        assert count == 3 and len(found) == 2, found


if sys.argv[1:] == ["--self-test"]:
    self_test()
    sys.exit()
if len(sys.argv) != 3 or sys.argv[1] not in ("markdown", "site"):
    sys.exit(__doc__)
found, count = (of_tree if sys.argv[1] == "markdown" else of_site)(pathlib.Path(sys.argv[2]))
if found:
    sys.exit("\n".join(found))
if count == 0:
    sys.exit(f"{sys.argv[2]}: no links at all")
print(f"{count} links lead somewhere")
