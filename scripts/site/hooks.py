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


def on_page_markdown(markdown, page, config, files):
    folder = "." if page.file.src_uri in OUTSIDE else "docs"
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.M)  # code stays as it is
    return "".join(part if part.startswith("```") else LINK.sub(lambda m: m[1] + site_link(m[2], folder) + m[3], part)
                   for part in parts)


def on_serve(server, config, builder):
    for source in OUTSIDE.values():
        server.watch(str(ROOT / source))
    return server
