"""Hooks of mkdocs (mkdocs.yml): pages of the site that are not in docs/.

README.md is the front page; CONTRIBUTING.md and CHANGELOG.md are pages. Nothing is copied: they are read where they lie, and
links between them and docs/ are changed to where the pages are on the site.
"""

import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).parents[2]
OUTSIDE = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
ON_SITE = {source: page for page, source in OUTSIDE.items()}
LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")
FILE_NAME = re.compile(r"\[(?:docs/)?([\w-]+\.md)\]\((?=[^)]*\1)")


def on_files(files, config):
    for page in OUTSIDE:
        files.append(File(page, config["docs_dir"], config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_read_source(page, config):
    source = OUTSIDE.get(page.file.src_uri)
    return (ROOT / source).read_text(encoding="utf-8") if source else None


def site_link(link, folder):
    """Where a link of a file in that folder of the tree leads on the site."""
    place = posixpath.normpath(posixpath.join(folder, link))
    if place in ON_SITE:
        return ON_SITE[place]
    return place[len("docs/"):] if place.startswith("docs/") else link


def titles(nav):
    """{page: its name in the navigation}"""
    found = {}
    for entry in nav:
        for title, below in entry.items():
            found.update(titles(below) if isinstance(below, list) else {below: title})
    return found


def on_page_markdown(markdown, page, config, files):
    """Links as the site has them; a link that shows the name of a file, as in [speed.md](speed.md), shows the title of its page."""
    folder = "." if page.file.src_uri in OUTSIDE else "docs"
    title = titles(config["nav"])

    def prose(text):
        text = FILE_NAME.sub(lambda m: f"[{title.get(ON_SITE.get(m[1], m[1]), m[1])}](", text)
        return LINK.sub(lambda m: m[1] + site_link(m[2], folder) + m[3], text)

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.M)  # code stays as it is
    return "".join(part if part.startswith("```") else prose(part) for part in parts)


def on_serve(server, config, builder):
    for source in OUTSIDE.values():
        server.watch(str(ROOT / source))
    return server
