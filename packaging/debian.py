"""Debian packages from a tree of files: the control file, permissions, and dpkg-deb. The same tree gives the same bytes."""
import gzip, os, re, shutil, subprocess
from pathlib import Path

MAINTAINER = "Herald Embedded <herald-embedded@users.noreply.github.com>"


def compress(source, target):
    """Writes a file compressed as Debian wants it, without a name and a time in it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target, "wb") as file, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as packed:
        packed.write(Path(source).read_bytes())


def shared_libraries(folder, programs):
    """The entries of Depends for the shared libraries of programs, by dpkg-shlibdeps."""
    work = Path(folder)
    (work / "debian").mkdir(parents=True, exist_ok=True)
    (work / "debian/control").write_text("Source: herald\n\nPackage: herald\nArchitecture: any\n")
    text = subprocess.check_output(
        ["dpkg-shlibdeps", "-O", *[f"-e{Path(program).resolve()}" for program in programs]], cwd=work, text=True, stderr=subprocess.DEVNULL)
    shutil.rmtree(work)
    return [entry.strip() for entry in re.search(r"shlibs:Depends=(.*)", text)[1].split(",")]


def architecture():
    """The architecture of this computer, in Debian's words."""
    return subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()


def normalise(tree):
    """Gives each file of a tree the permissions that it has in a package."""
    for path in sorted(Path(tree).rglob("*")):
        if path.is_symlink():
            continue
        if path.is_dir() or path.parent.name == "bin" or path.parent.name == "DEBIAN" and path.name in ("postinst", "prerm", "postrm"):
            path.chmod(0o755)
        else:
            path.chmod(0o644)
    Path(tree).chmod(0o755)


def build(tree, fields, description, scripts, output, level=6):
    """Makes output/NAME_VERSION_ARCHITECTURE.deb of a tree of files. `fields` are those of the control file, `scripts` those of the maintainer by name, `level` is
    that of xz."""
    tree = Path(tree)
    control = tree / "DEBIAN"
    control.mkdir()
    size = sum((path.stat().st_size + 1023) // 1024 for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    lines = [f"{name}: {value}" for name, value in {**fields, "Installed-Size": str(size)}.items()]
    summary, *rest = description.strip().split("\n")
    lines.append(f"Description: {summary}")
    lines += [f" {line.strip() or '.'}" for line in rest]
    (control / "control").write_text("\n".join(lines) + "\n")
    for name, text in scripts.items():
        (control / name).write_text(text)
    sums = []
    for path in sorted(tree.rglob("*")):
        if path.is_file() and control not in path.parents:
            digest = subprocess.check_output(["md5sum", path], text=True).split()[0]
            sums.append(f"{digest}  {path.relative_to(tree)}")
    (control / "md5sums").write_text("\n".join(sums) + "\n")
    etc = sorted(f"/{path.relative_to(tree)}" for path in (tree / "etc").rglob("*") if path.is_file()) if (tree / "etc").exists() else []
    if etc:
        (control / "conffiles").write_text("\n".join(etc) + "\n")
    normalise(tree)
    package = Path(output) / f"{fields['Package']}_{fields['Version']}_{fields['Architecture']}.deb"
    # dpkg-deb takes the times of files no later than SOURCE_DATE_EPOCH, which the caller has set.
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    for path in [tree, *tree.rglob("*")]:
        os.utime(path, (seconds, seconds), follow_symlinks=False)
    subprocess.check_call(["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{level}", "--build", tree, package], stdout=subprocess.DEVNULL)
    return package
