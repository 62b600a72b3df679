"""Every snippet of docs/python.md runs, one after the other; and the notebooks, from a clean kernel."""

import importlib.util
import os
import pathlib
import re

import pytest

SOURCE = pathlib.Path(os.environ.get("TESTED_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
SNIPPETS = re.findall(r"```python\n(.*?)```", (SOURCE / "docs" / "python.md").read_text(encoding="utf-8"), re.DOTALL)
NOTEBOOKS = sorted((SOURCE / "docs" / "notebooks").glob("*.ipynb"))


def test_the_page_runs(tmp_path, monkeypatch, recwarn):
    assert len(SNIPPETS) >= 12
    monkeypatch.chdir(tmp_path)
    names = {}
    with_torch = importlib.util.find_spec("torch") is not None
    for number, snippet in enumerate(SNIPPETS):
        if "torch" in snippet and not with_torch:
            continue
        exec(compile(snippet, f"docs/python.md, snippet {number}", "exec"), names)
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
    assert (tmp_path / "learning.png").exists() and (tmp_path / "quadrants.irn").exists()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_ALLOW_INSECURE_WRITES", "1")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    assert any("image/png" in o.get("data", {}) for o in shown), "pictures are drawn"
    assert any("text/html" in o.get("data", {}) for o in shown), "objects show themselves"


def test_there_are_two_notebooks_without_results():
    import json

    assert [p.stem for p in NOTEBOOKS] == ["own_table", "xor"]
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())["cells"]
        assert not any(cell.get("outputs") for cell in cells)
