"""The documents of a package: README, docs, examples and whatever they link to, in the folders of the repository, so that links between them work."""
import re, shutil, subprocess
from pathlib import Path

# Documents from which links are followed.
FIRST = ["README.md", "docs/*.md", "Examples/**/*"]
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)>\s]+)>?(?:\s[^)]*)?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def links(path):
    """The relative links of a document, without their anchors, as paths."""
    text = FENCE.sub("", path.read_text())
    targets = (target.split("#")[0] for target in LINK.findall(text))
    return [path.parent / target for target in targets if target and not re.match(r"[a-z]+:", target)]


def examples(path):
    """The files and folders below Examples that a document names. A path with a placeholder, such as `{serial}`, is one that a command writes."""
    return sorted({found.rstrip("./") for found in re.findall(r"\bExamples/[\w./{}-]*", path.read_text()) if "{" not in found})


def copy(root, target):
    """Copies the documents of a repository, and the files that they link to, into the folder `target`. Only files of the repository are copied."""
    root = Path(root).resolve()
    listed = subprocess.check_output(["git", "-C", root, "ls-files", "-z"], text=True).split("\0")
    tracked = {root / name for name in listed if name}
    waiting = [path for pattern in FIRST for path in sorted(root.glob(pattern)) if path in tracked]
    seen = set()
    while waiting:
        path = waiting.pop(0).resolve()
        if path in seen:
            continue
        seen.add(path)
        if path.is_dir():
            waiting += sorted(name for name in tracked if path in name.parents)
        elif path in tracked:
            place = Path(target) / path.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
            if path.suffix == ".md":
                waiting += links(path)
