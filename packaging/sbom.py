"""Software bills of materials in CycloneDX 1.5, JSON, and the licences of what is linked into a program.

What is linked in is read from the linker's list of objects of each program: the modules of the Swift packages that SwiftPM has checked out. The Swift runtime and Foundation are
components of the toolchain; shared libraries are the Debian packages that dpkg-shlibdeps names."""
import hashlib, json, re, subprocess, uuid
from datetime import datetime, timezone
from pathlib import Path

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://github.com/theheraldproject/herald-embedded")
# The licences of the Swift packages, as SPDX has them.
LICENCES = {"GRDB.swift": "MIT", "Yams": "MIT"}
# C sources that packages contain, with the name of their module.
VENDORED = {"CYaml": ("libyaml", "MIT")}
RUNTIME = [
    ("swift-runtime", "Apache-2.0 WITH Swift-exception", "the standard library, concurrency and regular expressions"),
    ("swift-corelibs-libdispatch", "Apache-2.0 WITH Swift-exception", "Dispatch"),
    ("swift-foundation", "Apache-2.0 WITH Swift-exception", "Foundation"),
    ("swift-foundation-icu", "Unicode-3.0", "ICU without its data"),
]


def toolchain_version():
    """The version of the Swift toolchain, such as 6.3.1."""
    text = subprocess.check_output(["swift", "--version"], text=True, stderr=subprocess.DEVNULL)
    return re.search(r"Swift version (\d+(?:\.\d+)*)", text)[1]


def toolchain_licence():
    """The licence text of the Swift toolchain."""
    swift = Path(subprocess.check_output(["which", "swift"], text=True).strip()).resolve()
    return (swift.parent.parent / "share/swift/LICENSE.txt").read_text()


class Checkouts:
    """The Swift packages that SwiftPM has checked out below a build folder."""

    def __init__(self, scratch):
        self.folder = Path(scratch) / "checkouts"
        tree = json.loads(subprocess.check_output(
            ["swift", "package", "--scratch-path", scratch, "show-dependencies", "--format", "json"], text=True, stderr=subprocess.DEVNULL))
        self.versions, self.addresses = {}, {}
        pending = [tree]
        while pending:
            node = pending.pop()
            pending += node["dependencies"]
            name = Path(node["path"]).name
            self.versions[name] = node["version"]
            self.addresses[name] = node["url"].removesuffix(".git")

    def linked(self, object_list):
        """(packages, vendored C modules) of which an object is in the linker's list of a program."""
        modules = set(re.findall(r"/([^/]+)\.build/", Path(object_list).read_text()))
        packages, vendored = set(), set()
        for path in self.folder.glob("*/*/*"):
            if path.is_dir() and path.name in modules and path.parent.name == "Sources":
                packages.add(path.parts[len(self.folder.parts)])
                if path.name in VENDORED:
                    vendored.add(path.name)
        # GRDB's sources are in a folder named for the library.
        packages |= {"GRDB.swift"} if "GRDB" in modules else set()
        return sorted(packages), sorted(vendored)

    def licence(self, package):
        """The texts of a package's licence and notice."""
        files = sorted(path for path in (self.folder / package).iterdir() if re.match(r"(LICENSE|NOTICE|COPYING)", path.name))
        return "\n\n".join(path.read_text().strip() for path in files)


def licence_entry(name):
    """A licence in CycloneDX's form."""
    return [{"expression": name}] if " " in name else [{"license": {"id": name}}]


def package_components(checkouts, packages, vendored):
    """Components for Swift packages and the C sources in them."""
    found = []
    for package in packages:
        version, address = checkouts.versions[package], checkouts.addresses[package]
        found.append({
            "type": "library", "bom-ref": f"swift:{package}", "name": package, "version": version,
            "purl": f"pkg:swift/{address.split('://')[-1]}@{version}", "licenses": licence_entry(LICENCES.get(package, "Apache-2.0"))})
    for module in vendored:
        name, licence = VENDORED[module]
        found.append({
            "type": "library", "bom-ref": f"vendored:{name}", "name": name, "licenses": licence_entry(licence),
            "description": f"sources that a Swift package contains as {module}"})
    return found


def runtime_components(version):
    """Components of the toolchain that are linked in statically."""
    return [{
        "type": "library", "bom-ref": f"toolchain:{name}", "name": name, "version": version, "licenses": licence_entry(licence), "description": what}
        for name, licence, what in RUNTIME]


def library_components(depends):
    """Components for the Debian packages of a Depends field: shared libraries, which are not contained."""
    found = []
    for entry in depends:
        name, _, version = entry.partition(" ")
        component = {"type": "library", "bom-ref": f"deb:{name}", "name": name, "purl": f"pkg:deb/debian/{name}", "scope": "required",
                     "description": f"shared library, {entry}"}
        found.append(component)
    return found


def file_component(path, name):
    """A file with its SHA-256."""
    return {"type": "firmware", "bom-ref": f"file:{name}", "name": name,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]}


def document(name, version, kind, components, seconds):
    """A bill of materials; the same components give the same bytes."""
    components = sorted(components, key=lambda component: component["bom-ref"])
    body = json.dumps([name, version, components], sort_keys=True)
    main = {"type": kind, "bom-ref": name, "name": name, "version": version, "licenses": licence_entry("Apache-2.0")}
    return json.dumps({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, body)}", "version": 1,
        "metadata": {"timestamp": datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "component": main},
        "components": components,
        "dependencies": [{"ref": name, "dependsOn": [component["bom-ref"] for component in components]}],
    }, indent=1) + "\n"
