"""`pip install .` in a fresh environment, without an index; and the wheel's own files."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile

import pytest

# With the flags of the preset, so that ccache has what the build beside this test has compiled.
ENVIRONMENT = {**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, "CMAKE_ARGS": "-DIRN_WERROR=ON"}


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], env=ENVIRONMENT, capture_output=True, text=True, **options)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    return result.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Of an environment that sees Debian's packages and has pip."""
    if not shutil.which("ccache"):
        pytest.skip("without ccache this compiles the library anew")
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--system-site-packages", folder)
    return folder / "bin" / "python"


def test_pip_installs_a_clone_without_a_network(python, source, tmp_path):
    run(python, "-m", "pip", "install", "--no-index", source)
    script = "import irn, numpy; print(irn.__file__, irn.Network('3-4-2').settle(numpy.zeros((2, 3))))"
    shown = run(python, "-c", script, cwd=tmp_path)
    assert str(python.parents[1]) in shown and "2 settled" in shown
    assert f"Version: {run(python, '-c', 'import irn; print(irn.__version__)', cwd=tmp_path)}" in run(python, "-m", "pip", "show", "irn")


def test_the_wheel_has_the_package_and_its_types(python, source, tmp_path):
    run(python, "-m", "pip", "wheel", "--no-index", "--no-deps", "-w", tmp_path, source)
    (wheel,) = tmp_path.glob("irn-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("__init__.py", "sklearn.py", "plot.py", "py.typed", "_core.pyi"):
        assert f"irn/{name}" in names
    assert any(name.startswith("irn/_core.") and name.endswith(".so") for name in names)
    assert not any("test" in name for name in names)


def test_a_wheel_brings_the_part_for_cuda_where_it_is_asked_for(source, tmp_path, monkeypatch):
    """Without compiling it: what CMake would have built is put there."""
    spec = importlib.util.spec_from_file_location("irn_build", source / "python" / "backend" / "irn_build.py")
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    built = tmp_path / "build" / "wheel" / "python" / "irn"
    built.mkdir(parents=True)

    def build(*command):
        if "--build" in command:
            targets = command[command.index("--target") + 1 : command.index("--parallel")]
            files = {"irn_python": "_core" + sysconfig.get_config_var("EXT_SUFFIX"), "irn_cuda": "libirn_cuda.so"}
            for target in targets:
                (built / files[target]).write_text(target)

    monkeypatch.setattr(backend, "run", build)
    monkeypatch.setattr(backend, "ROOT", tmp_path)
    for name in ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml"):
        shutil.copy(source / name, tmp_path)
    for wanted in (False, True):
        monkeypatch.setenv("CMAKE_ARGS", "-DIRN_WITH_CUDA=ON" if wanted else "-DIRN_WERROR=ON")
        with zipfile.ZipFile(tmp_path / backend.build_wheel(tmp_path)) as wheel:
            assert ("irn/libirn_cuda.so" in wheel.namelist()) == wanted
