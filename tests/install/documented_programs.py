"""Checks that a page shows the programs of a folder, whole and as they are.

usage: documented_programs.py PAGE.md FOLDER
"""

import pathlib
import re
import sys

page, folder = (pathlib.Path(argument) for argument in sys.argv[1:3])
shown = re.findall(r"^```cpp\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
missing = [path.name for path in sorted(folder.glob("*.cpp")) if path.read_text(encoding="utf-8") not in shown]
if missing:
    sys.exit(f"{page.name} does not show {', '.join(missing)} as it is; copy the file into the page")
print(f"{page.name} shows all programs of {folder.name}")
