"""Makes the packages of a build and uses them in roots that have nothing else: the .deb where only what it depends on is there, the
program of the tarball where nothing is.

usage: packages.py BUILD_FOLDER EMULATOR [unittest's options]      EMULATOR: as CMake has it, for another architecture; else empty
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parents[2]
BUILD = EMULATOR = None


def said(*command, **more):
    """What a command prints; its failure is the test's."""
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **more)
    if ran.returncode != 0:
        raise AssertionError(f"{command}: {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def as_root(*command):
    """Root, or in a namespace of one's own what looks like it."""
    return command if os.geteuid() == 0 else ("unshare", "--map-root-user", *command)


def within(root, *command):
    """A command of a root, which sees nothing outside of it. The emulator of another architecture sees it all, but is told to look there for libraries."""
    plain = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/"}
    if not EMULATOR:
        return said(*as_root("chroot", root, *command), env=plain)
    here = [root + command[0], *(root + word if word.startswith("/") else word for word in command[1:])]
    return said(EMULATOR[0], *EMULATOR[1:EMULATOR.index("-L")], "-L", root, "-E", f"LD_LIBRARY_PATH={SOURCE.absolute()}/build/arm64-root/usr/lib/aarch64-linux-gnu:{EMULATOR[EMULATOR.index('-L') + 1]}/lib", *here, env={**plain, "PATH": os.environ["PATH"]})


def first_training():
    """(table, target) of the README's first command."""
    return re.search(r"irn train (\S+\.csv) --target (\w+)", (SOURCE / "README.md").read_text(encoding="utf-8")).groups()


def write_table(path, target):
    """Two leaves tell three kinds of flowers apart."""
    with open(path, "w", encoding="utf-8") as file:
        print("leaf_length", "leaf_width", target, sep=",", file=file)
        for k in range(90):
            print(k % 3 + k % 7 / 10, k % 3 - k % 5 / 10, ("setosa", "versicolor", "virginica")[k % 3], sep=",", file=file)


def needed_of(package, depends):
    """All packages of a list of dependencies, and theirs."""
    found, open_ = [], [re.match(r"[a-z0-9.+-]+", name.strip()).group(0) for name in depends.split(",") if name.strip()]
    while open_:
        name = open_.pop()
        if name not in found:
            found.append(name)
            more = said("dpkg-query", "-W", "-f=${Pre-Depends},${Depends}", name)
            open_ += [re.match(r"[a-z0-9.+-]+", one.strip()).group(0) for one in more.split(",") if one.strip()]
    return found


def library_root(root, packages):
    """A root with the shared libraries of these packages, which dpkg takes for installed there."""
    for folder in ("usr/lib", "usr/bin", "var/lib/dpkg/info", "var/lib/dpkg/updates", "tmp"):
        os.makedirs(f"{root}/{folder}")
    for name in ("lib", "lib64"):
        os.makedirs(f"{root}/usr/{name}", exist_ok=True)
        os.symlink(f"usr/{name}", f"{root}/{name}")
    with open(f"{root}/var/lib/dpkg/status", "w", encoding="utf-8") as status:
        for package in packages:
            print(said("dpkg-query", "-s", package), file=status)
            listed = said("dpkg-query", "-L", package).splitlines()
            for path in (p for p in listed if re.search(r"\.so(\.[0-9.]+)?$", p) and not os.path.isdir(p)):
                os.makedirs(os.path.dirname(root + path), exist_ok=True)
                shutil.copy2(path, root + path, follow_symlinks=os.path.isabs(os.readlink(path)) if os.path.islink(path) else True)


class Packages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.made = pathlib.Path(cls.folder.name) / "made"
        said("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", cls.made)
        cls.deb, = cls.made.glob("*.deb")
        cls.tarball, = cls.made.glob("*.tar.gz")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def root(self, name):
        path = pathlib.Path(self.folder.name) / name
        path.mkdir()
        return str(path)

    def train_within(self, root, program, folder):
        table, target = first_training()
        write_table(f"{root}{folder}/{table}", target)
        model = f"{folder}/model"
        printed = within(root, program, "train", f"{folder}/{table}", "--target", target, "--out", model, "--epochs", "40")
        self.assertTrue(printed.endswith(f"{model}/model.safetensors\n"), printed)
        told = json.loads(within(root, program, "eval", model, f"{folder}/{table}", "--json"))
        self.assertEqual(told["samples"], 90)
        self.assertGreater(told["accuracy"], 0.95)

    def test_the_deb_installs_where_only_its_dependencies_are_and_trains(self):
        root = self.root("debian")
        if EMULATOR:  # dpkg would want the root to be of its own architecture
            said("dpkg-deb", "-x", self.deb, root)
            for libraries in ("/usr/aarch64-linux-gnu", str(SOURCE / "build" / "arm64-root")):
                shutil.copytree(libraries, root, symlinks=False, dirs_exist_ok=True, ignore_dangling_symlinks=True,
                                ignore=lambda folder, names: [n for n in names if not re.search(r"\.so[.0-9]*$", n) and not os.path.isdir(f"{folder}/{n}")])
            os.makedirs(root + "/tmp")
        else:
            library_root(root, needed_of("irn", said("dpkg-deb", "-f", self.deb, "Depends")))
            said(*as_root("dpkg", f"--root={root}", "--force-script-chrootless", "--log=/dev/null", "-i", self.deb))
            self.assertIn("Status: install ok installed", said("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-s", "irn"))
        self.train_within(root, "/usr/bin/irn", "/tmp")

    def test_the_deb_has_all_that_belongs_to_it(self):
        files = said("dpkg-deb", "-c", self.deb)
        for path in ("usr/bin/irn", "usr/lib/libirn.a", "usr/include/irn/irn.h", "usr/lib/cmake/irn/irn-config.cmake", "usr/lib/pkgconfig/irn.pc",
                     "usr/share/man/man1/irn.1.gz", "usr/share/man/man1/irn-train.1.gz", "usr/share/man/man1/irn-doctor.1.gz",
                     "usr/share/bash-completion/completions/irn", "usr/share/zsh/vendor-completions/_irn", "usr/share/fish/vendor_completions.d/irn.fish",
                     "usr/share/doc/irn/copyright", "usr/share/doc/irn/changelog.gz"):
            self.assertIn(f" ./{path}\n", files)
        self.assertNotIn("python", files)

    def test_an_installation_elsewhere_has_pages_and_completion(self):
        prefix = pathlib.Path(self.root("prefix"))
        said("cmake", "--install", BUILD, "--prefix", prefix)
        shown = said("man", "--warnings", "-l", prefix / "share/man/man1/irn-train.1.gz", env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.assertIn("irn train", shown)
        for script in ("bash-completion/completions/irn", "zsh/site-functions/_irn", "fish/vendor_completions.d/irn.fish"):
            self.assertIn("--target" if "fish" not in script else "-l target", (prefix / "share" / script).read_text(encoding="utf-8"))

    @unittest.skipUnless(shutil.which("lintian"), "needs lintian")
    def test_lintian_finds_no_error(self):
        found = subprocess.run(["lintian", "--allow-root", str(self.deb)], capture_output=True, text=True, timeout=300)
        self.assertEqual([line for line in (found.stdout + found.stderr).splitlines() if line.startswith("E:")], [])

    def test_the_tarball_runs_where_nothing_is(self):
        root = self.root("nothing")
        with tarfile.open(self.tarball) as archive:
            archive.extractall(root)
        top, = os.listdir(root)
        self.assertIn("linux-", top)
        self.assertEqual(sorted(os.listdir(f"{root}/{top}")), ["bin", "share"])
        program = f"/{top}/bin/irn"
        notes = said("readelf", "-W", "-n", "-l", root + program)
        self.assertNotIn("INTERP", notes, "it asks for no loader, so for no library")
        version = re.search(r"OS: Linux, ABI: ([\d.]+)", notes).group(1)
        self.assertLessEqual([int(part) for part in version.split(".")], [4, 4, 0], "a kernel of ten years ago, as glibc demands it")
        self.train_within(root, program, "")
        self.assertTrue(json.loads(within(root, program, "doctor", "--json"))["ok"])
        self.assertIn("CUDA: not in this build", within(root, program, "doctor"))

    @unittest.skipUnless(shutil.which("qemu-x86_64") and os.uname().machine == "x86_64", "needs qemu-user on x86-64")
    def test_both_programs_choose_the_same_instructions_on_every_processor(self):
        if EMULATOR:
            self.skipTest("arm64 has one set")
        chosen = {}
        for processor in ("qemu64", "core2duo", "Nehalem", "Westmere", "SandyBridge", "IvyBridge", "Haswell", "Skylake-Client-v3", "EPYC", "max"):
            for program in (BUILD / "bin" / "irn", BUILD / "packages" / "static" / "irn"):
                version = said("qemu-x86_64", "-cpu", processor, program, "--version").splitlines()[1].split(";")[0]
                chosen.setdefault(processor, set()).add(version)
        self.assertEqual([processor for processor, versions in chosen.items() if len(versions) != 1], [], chosen)
        self.assertGreaterEqual(len(set.union(*chosen.values())), 3, "none, SSE4 and AVX2 at least")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    BUILD, EMULATOR = pathlib.Path(sys.argv.pop(1)).absolute(), sys.argv.pop(1).split(";")
    EMULATOR = EMULATOR if EMULATOR != [""] else None
    unittest.main()
