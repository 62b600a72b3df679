"""The build backend of the Python package (PEP 517 and 660): CMake builds irn._core, and a wheel is a zip file.

Stands on the standard library alone, so that `pip install .` works without a network. Builds in build/wheel, which is kept: the next
build is short. CMAKE_ARGS in the environment is handed to CMake; with -DIRN_WITH_CUDA=ON there the part for CUDA devices, which takes
minutes to compile, is built and comes with the package.
"""

from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "irn"
NAME = "irn"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in [*package_files(), *build_libraries()]}
    return write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The build's own package folder, whose Python files are links to the sources."""
    extension = build_libraries()[0]
    return write_wheel(wheel_directory, {f"{NAME}.pth": f"{extension.parents[1]}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    """What git has of the tree."""
    base = f"{NAME}-{version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name in filter(None, listed.decode().split("\0")):
            archive.add(ROOT / name, f"{base}/{name}", recursive=False)
        info = ROOT / "build" / "PKG-INFO"
        info.parent.mkdir(exist_ok=True)
        info.write_text(metadata())
        archive.add(info, f"{base}/PKG-INFO")
    return f"{base}.tar.gz"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / info_folder()
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(metadata())
    (folder / "WHEEL").write_text(wheel_text())
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def build_libraries():
    """Configures and builds irn._core for the interpreter that asks, and the part for CUDA if it is wanted; returns where they are."""
    if shutil.which("cmake") is None:
        sys.exit("irn: building needs CMake, a C++20 compiler, pybind11 and some libraries: scripts/setup installs them on Debian")
    build = ROOT / "build" / "wheel"
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "IRN_BUILD_PYTHON": "ON",
        "IRN_BUILD_TESTS": "OFF",
        "IRN_BUILD_APPS": "OFF",
        "IRN_BUILD_BENCH": "OFF",
        "Python_EXECUTABLE": sys.executable,
    }
    generator = ["-G", "Ninja"] if shutil.which("ninja") and not (build / "CMakeCache.txt").exists() else []
    more = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    run("cmake", "-S", ROOT, "-B", build, *generator, *(f"-D{key}={value}" for key, value in options.items()), *more)
    cuda = "-DIRN_WITH_CUDA=ON" in more
    targets = ["irn_python", "irn_cuda"] if cuda else ["irn_python"]
    run("cmake", "--build", build, "--target", *targets, "--parallel", str(os.cpu_count() or 1))
    names = [f"_core{sysconfig.get_config_var('EXT_SUFFIX')}", *(["libirn_cuda.so"] if cuda else [])]
    return [build / "python" / NAME / name for name in names]


def run(*command):
    result = subprocess.run([str(word) for word in command], cwd=ROOT)
    if result.returncode:
        sys.exit(f"irn: '{' '.join(map(str, command[:4]))} ...' failed; its messages above say why")


def package_files():
    return sorted(path for path in PACKAGE.iterdir() if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed")


def version():
    """The one place that states it is the root CMakeLists.txt."""
    return re.search(r"project\(irn VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def info_folder():
    return f"{NAME}-{version()}.dist-info"


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: irn_build\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def metadata():
    lines = (ROOT / "pyproject.toml").read_text()
    summary = re.search(r'^description = "(.*)"', lines, re.M).group(1)
    needs = re.search(r"^dependencies = \[(.*)\]", lines, re.M).group(1)
    python = re.search(r'^requires-python = "(.*)"', lines, re.M).group(1)
    extras = re.search(r"optional-dependencies\]\n(.*?)\n\n", lines, re.S).group(1)
    text = f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: {summary}\nLicense: MIT\nRequires-Python: {python}\n"
    text += "".join(f"Requires-Dist: {need}\n" for need in re.findall(r'"(.*?)"', needs))
    for extra, wanted in re.findall(r"^(\w+) = \[(.*)\]", extras, re.M):
        text += f"Provides-Extra: {extra}\n"
        text += "".join(f'Requires-Dist: {need}; extra == "{extra}"\n' for need in re.findall(r'"(.*?)"', wanted))
    return text + "Description-Content-Type: text/markdown\n\n" + (ROOT / "README.md").read_text()


def write_wheel(directory, files):
    info = info_folder()
    files = {
        **files,
        f"{info}/METADATA": metadata().encode(),
        f"{info}/WHEEL": wheel_text().encode(),
        f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    name = f"{NAME}-{version()}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)  # of 1980: the same files make the same wheel
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
