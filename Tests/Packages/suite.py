"""Checks the packages that script/package has made: what is in them, their bills of materials, and that they are installed and used in a clean Debian root without a
toolchain: the demonstration's pull runs there.

    suite.py FOLDER

FOLDER has the packages. Requires root for the clean root; without, those tests are skipped with the reason."""
import json, os, re, subprocess, sys, tarfile, tempfile, unittest
from pathlib import Path

from clean_root import CleanRoot

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else ROOT / ".build/packages"
sys.path.insert(0, str(ROOT / "packaging"))
sys.dont_write_bytecode = True
import documents

PROGRAMS = {"herald-host": ["herald-host"], "herald-flash": ["herald-flash"], "herald-node": ["herald-node", "herald-controller"]}
# Megabytes; those of programs are stated in docs/firmware.md.
MOST_MB = {"herald-host": 12, "herald-flash": 12, "herald-node": 12, "herald-firmware": 4}


def package(name):
    """The file of a package."""
    found = sorted(FOLDER.glob(f"{name}_*.deb"))
    assert len(found) == 1, f"{len(found)} packages {name} in {FOLDER}"
    return found[0]


def field(name, which):
    """A field of a package's control file."""
    return subprocess.check_output(["dpkg-deb", "--field", package(name), which], text=True).strip()


def contents(name):
    """Paths in a package, without the leading dot, with mode and owner."""
    lines = subprocess.check_output(["dpkg-deb", "--contents", package(name)], text=True).splitlines()
    return {line.split(maxsplit=5)[5].lstrip(".").split(" -> ")[0]: (line.split()[0], line.split()[1]) for line in lines}


class Contents(unittest.TestCase):
    def test_programs_pages_completions(self):
        for name, programs in PROGRAMS.items():
            files = contents(name)
            for program in programs:
                for path in (f"/usr/bin/{program}", f"/usr/share/man/man1/{program}.1.gz", f"/usr/share/bash-completion/completions/{program}",
                             f"/usr/share/zsh/vendor-completions/_{program}", f"/usr/share/fish/vendor_completions.d/{program}.fish"):
                    self.assertIn(path, files)
                self.assertEqual(files[f"/usr/bin/{program}"], ("-rwxr-xr-x", "root/root"))
            for path in ("copyright", "sbom.cdx.json", "changelog.gz"):
                self.assertIn(f"/usr/share/doc/{name}/{path}", files)
        self.assertIn("/usr/lib/udev/rules.d/70-herald-host.rules", contents("herald-host"))
        self.assertIn("/usr/lib/systemd/system/herald-node.service", contents("herald-node"))

    def test_links_of_documents_lead_to_files_of_the_package(self):
        for name in PROGRAMS:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.check_call(["dpkg-deb", "--extract", package(name), folder])
                place = Path(folder) / "usr/share/doc" / name
                found = sorted(place.rglob("*.md"))
                names = {str(path.relative_to(place)) for path in found}
                self.assertLessEqual({"README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))}, names)
                for path in found:
                    for target in documents.links(path):
                        self.assertTrue(target.exists(), f"{name}: {path.relative_to(place)} has a link to {target.name}, which is not in the package")
                    for example in documents.examples(path):
                        self.assertTrue((place / example).exists(), f"{name}: {path.relative_to(place)} names {example}, which is not in the package")

    def test_images_of_each_board(self):
        if not list(FOLDER.glob("herald-firmware_*.deb")):
            self.skipTest("the packages were made without firmware")
        files = contents("herald-firmware")
        boards = [path.parent.name for path in sorted((ROOT / "boards").glob("*/board.json"))]
        for board in boards:
            self.assertIn(f"/usr/share/herald/boards/{board}/wearable.hex", files)
            self.assertIn(f"/usr/share/herald/boards/{board}/wearable.hex.sig", files)
        self.assertIn("/usr/share/herald/release-key.pem", contents("herald-flash"))

    def test_sizes(self):
        for path in FOLDER.glob("*.deb"):
            name = path.name.split("_")[0]
            self.assertLess(path.stat().st_size, MOST_MB[name] * 1_000_000, name)

    def test_no_path_of_the_build_and_no_symbols(self):
        for name, programs in PROGRAMS.items():
            with tempfile.TemporaryDirectory() as folder:
                subprocess.check_call(["dpkg-deb", "--extract", package(name), folder])
                for program in programs:
                    data = (Path(folder) / "usr/bin" / program).read_bytes()
                    for path in (str(ROOT) + "/Sources", "/var/tmp/herald-package"):
                        self.assertNotIn(path.encode(), data, program)
                    sections = subprocess.check_output(["readelf", "-S", "-W", Path(folder) / "usr/bin" / program], text=True)
                    self.assertNotIn(".symtab", sections)
                    self.assertNotIn(".debug_info", sections)
                    needed = subprocess.check_output(["readelf", "-d", Path(folder) / "usr/bin" / program], text=True)
                    self.assertNotRegex(needed, r"lib(swift|Foundation)")

    def test_licences_of_what_is_linked_in(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.check_call(["dpkg-deb", "--extract", package("herald-host"), folder])
            text = (Path(folder) / "usr/share/doc/herald-host/copyright").read_text()
            for words in ("Runtime Library Exception", "GRDB.swift 7.10.0, linked in", "Gwendal Roué", "Yams 6.2.2, linked in", "JP Simard", "swift-argument-parser"):
                self.assertIn(words, text)

    def test_bills_of_materials(self):
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
        validator = JsonStrictValidator(SchemaVersion.V1_5)
        for path in sorted(FOLDER.glob("*.deb")):
            name = path.name.split("_")[0]
            with tempfile.TemporaryDirectory() as folder:
                subprocess.check_call(["dpkg-deb", "--extract", path, folder])
                text = (Path(folder) / f"usr/share/doc/{name}/sbom.cdx.json").read_text()
            self.assertIsNone(validator.validate_str(text), name)
            names = {component["name"] for component in json.loads(text)["components"]}
            expected = {
                "herald-host": {"GRDB.swift", "Yams", "libyaml", "swift-argument-parser", "swift-log", "swift-runtime", "libusb-1.0-0", "libsqlite3-0"},
                "herald-flash": {"swift-argument-parser", "swift-runtime", "libusb-1.0-0"},
                "herald-node": {"swift-argument-parser", "swift-runtime", "libbluetooth3"},
                "herald-firmware": {"swift-runtime", "microbit/wearable.hex", "nrf52840-dongle/controller.hex"}}[name]
            self.assertLessEqual(expected, names, name)

    def test_dependencies_are_shared_libraries_of_debian(self):
        self.assertRegex(field("herald-host", "Depends"), r"libusb-1\.0-0")
        self.assertRegex(field("herald-host", "Depends"), r"libsqlite3-0")
        for name in PROGRAMS:
            self.assertRegex(field(name, "Depends"), r"libssl3")
        self.assertEqual(field("herald-flash", "Recommends"), "herald-firmware")

    def test_units(self):
        for unit in sorted((ROOT / "packaging").glob("*.service")):
            text = unit.read_text()
            # The programs of the unit are not on this computer.
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / unit.name
                path.write_text(re.sub(r"ExecStart=/usr/bin/\S+", "ExecStart=/bin/true", text))
                done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr.replace("\n", " ")), (0, ""), unit.name)

    def test_tarball(self):
        path = next(FOLDER.glob("herald-*.tar.xz"))
        with tarfile.open(path) as archive:
            names = archive.getnames()
        top = path.name.removesuffix(".tar.xz")
        for program in ("herald-host", "herald-flash", "herald-node", "herald-controller"):
            self.assertIn(f"{top}/bin/{program}", names)


@unittest.skipUnless(os.geteuid() == 0, "a clean root requires the rights of root: debootstrap and chroot")
class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = cls.enterClassContext(CleanRoot(ROOT / ".build/packages-root"))
        cls.root.install(sorted(FOLDER.glob("*.deb")))

    def test_there_is_no_toolchain(self):
        for program in ("swift", "swiftc", "gcc", "clang", "ld"):
            self.assertNotEqual(self.root.run("sh", "-c", f"command -v {program}").returncode, 0, program)

    def test_programs_start(self):
        for programs in PROGRAMS.values():
            for program in programs:
                done = self.root.run(program, "--version")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{field('herald-host', 'Version')}\n", ""))

    def test_images_are_found(self):
        if not list(FOLDER.glob("herald-firmware_*.deb")):
            self.skipTest("the packages were made without firmware")
        done = self.root.run("herald-flash", "write", "--board", "microbit2", "--to", "drive:/nowhere", "--yes")
        # The image is found and read, and its signature is valid for the installed key; the drive is not there.
        self.assertIn("/nowhere", done.stderr)
        self.assertNotIn("sign", done.stderr)
        self.assertNotIn("script/build", done.stderr)

    def test_demonstration(self):
        folder = ROOT / ".build/packages-demo"
        folder.mkdir(parents=True, exist_ok=True)
        self.root.bind(folder)
        wrappers = self.root.wrappers(ROOT / ".build/packages-bin", ["herald-node", "herald-host"])
        python = ROOT / ".build/venv/bin/python"
        done = subprocess.run([python, ROOT / "Tests/Interop/demo.py", folder / "demo"], capture_output=True, text=True,
                              env={**os.environ, "HERALD_BIN": str(wrappers)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("herald-host has read the log over USB/IP", done.stdout)
        report = self.root.run("herald-host", "report", folder / "demo/log")
        self.assertEqual(report.returncode, 0, report.stderr)

    def test_removal(self):
        """Last by name: after it no file of the packages is left."""
        done = self.root.run("apt-get", "purge", "-y", "-qq", "herald-host", "herald-flash", "herald-node")
        self.assertEqual(done.returncode, 0, done.stderr)
        left = [path for path in (self.root.folder / "usr").rglob("*herald*") if "firmware" not in str(path) and "share/herald" not in str(path)]
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
