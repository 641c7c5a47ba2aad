"""How firmware is built: script/build, script/embedded and script/footprint use it.

All images for one family of processors have the same compiled modules of this project. Their objects are therefore in one folder, .build/boards/.work/FAMILY-0, whichever
board the image is for: only what belongs to the board is compiled for it, and the image is linked. A build that runs beside another uses FAMILY-1, and so on."""
import contextlib, fcntl, glob, hashlib, itertools, os, shutil, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOLS = os.path.dirname(os.path.realpath(shutil.which("swift") or sys.exit("There is no swift on the PATH.\n  → install Swift 6.3, see README.md")))
WORK = f"{ROOT}/.build/boards/.work"
# The allocation-free modules, which firmware consists of beside the sources of its board.
MODULES = ["HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldHCI", "HeraldLinkLayer", "HeraldEmbedded", "HeraldNeighbours", "HeraldDeviceLink", "HeraldChips", "HeraldFirmware"]


class BuildFailed(Exception):
    """What the package manager printed."""


@contextlib.contextmanager
def objects(name):
    """A folder for the objects of a family that no other build uses at this time."""
    os.makedirs(WORK, exist_ok=True)
    for number in itertools.count():
        with open(f"{WORK}/{name}-{number}.lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield f"{WORK}/{name}-{number}"
            return


def inputs(package):
    """The files that an image of a package depends on."""
    names = [f"{ROOT}/Package.swift"]
    for top in (*(f"{ROOT}/Sources/{module}" for module in MODULES), f"{ROOT}/boards", f"{ROOT}/linker", package):
        for folder, folders, files in os.walk(top):
            folders[:] = [name for name in folders if not name.startswith(".")]
            # The package manager writes one at the first build of each package. Versions are exact, and stand in Package.swift.
            names += [os.path.join(folder, name) for name in files if name != "Package.resolved"]
    return sorted(set(names))


def digest(names, command):
    """A digest of the names and contents of files, of a command, and of the compiler."""
    compiler = os.stat(f"{TOOLS}/swift-frontend")
    state = hashlib.sha256("\0".join([*command, TOOLS, f"{compiler.st_size} {compiler.st_mtime_ns}"]).encode())
    for name in names:
        state.update(f"\0{name}\0".encode())
        if os.path.isfile(name):
            with open(name, "rb") as file:
                state.update(hashlib.sha256(file.read()).digest())
    return state.hexdigest()


def run(package, triple, toolset, scratch, what):
    """Runs the package manager. Removes its plan before if a source file was added or removed, or the command or the toolset has changed: it detects none of these in all
    packages that it depends on by path."""
    command = ["swift", "build", "-c", "release", "--package-path", package, "--triple", triple, "--toolset", toolset, "--scratch-path", scratch, *what]
    listing, plan = f"{scratch}/sources.txt", f"{scratch}/release.yaml"
    with open(toolset) as file:
        found = "\n".join([name for name in inputs(package) if name.endswith((".swift", ".c", ".h"))] + command + [file.read()])
    os.makedirs(scratch, exist_ok=True)
    if os.path.exists(plan) and (not os.path.exists(listing) or open(listing).read() != found):
        os.remove(plan)
    with open(listing, "w") as file:
        file.write(found)
    # Nothing that only programs for Linux use is looked for.
    environment = {**os.environ, "HERALD_TARGETS": ",".join(MODULES)}
    # It is for tests (script/debug-flags).
    environment.pop("HERALD_OPTIMIZED_CORE", None)
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        # A plan whose build failed is made again, as a package may have been changed between the plan and the build.
        os.remove(listing)
        raise BuildFailed(done.stdout + done.stderr)
    # Of a build that succeeds only warnings are printed.
    for line in (done.stdout + done.stderr).splitlines():
        if "warning: " in line:
            print(line, file=sys.stderr)


def build_modules(family):
    """Compiles all modules for a family of processors."""
    with objects(family) as scratch:
        # Those that no other depends on.
        for module in ("HeraldFirmware", "HeraldLinkLayer", "HeraldChips", "HeraldNeighbours"):
            run(ROOT, f"{family}-none-none-eabi", f"{ROOT}/boards/toolsets/{family}.json", scratch, ["--target", module])


def build_image(package, product, family, toolset, linker, elf):
    """Builds an executable of a package with options for the linker, and copies it to `elf`, unless it is there and nothing that it depends on has changed since."""
    triple = f"{family}-none-none-eabi"
    options = ["--product", product, *(word for option in linker for word in ("-Xlinker", option))]
    stamp = f"{elf}.inputs"
    current = digest([*inputs(package), toolset], [package, triple, *options])
    if os.path.exists(elf) and os.path.exists(stamp) and open(stamp).read() == current:
        return
    with contextlib.suppress(FileNotFoundError):
        os.remove(stamp)
    with objects(os.path.splitext(os.path.basename(os.path.realpath(toolset)))[0]) as scratch:
        run(package, triple, toolset, scratch, options)
        compiled = {os.path.basename(os.path.dirname(path))[:-6] for path in glob.glob(f"{scratch}/{triple}/release/*.build/*.o")}
        other = [name for name in compiled if os.path.isdir(f"{ROOT}/Sources/{name}") and name not in MODULES]
        if other:
            raise BuildFailed(f"{', '.join(other)}: no allocation-free module. One that firmware may use is listed in script/firmware.py.\n")
        shutil.copy(f"{scratch}/{triple}/release/{product}", elf)
    with open(stamp, "w") as file:
        file.write(current)
