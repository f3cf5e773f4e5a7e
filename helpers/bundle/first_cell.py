"""The first code cell of a bundled notebook: all below this line stands in it, word for word."""

# The course's package, helpers: the one that is installed, else the wheel beside this notebook, else the
# copy in a folded cell. Nothing gets installed.


def make_ready(copy=""):
    """Say whether `import helpers` works, and make it work; copy: the package, a zip file in base64."""
    import atexit, base64, importlib.util, io, shutil, sys, tempfile, zipfile
    from pathlib import Path

    found = importlib.util.find_spec("helpers")
    if found and found.origin:
        if (Path(found.origin).parent / "transformer.py").exists():
            return True
        stop = ImportError(
            f"Your file {found.origin} hides the course's package, which is called helpers too: "
            "rename yours, restart the kernel and run this cell again."
        )
        stop._render_traceback_ = lambda: [str(stop)]  # this sentence alone
        raise stop
    name = "transformer_by_hand-*.whl"
    wheels = sorted(Path().glob(name), reverse=True) + sorted(Path("..").glob(name), reverse=True)
    archives = [*filter(zipfile.is_zipfile, wheels), *([io.BytesIO(base64.b64decode(copy))] if copy else [])]
    if archives:
        folder = tempfile.mkdtemp(prefix="transformer-by-hand-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        zipfile.ZipFile(archives[0]).extractall(folder)
        sys.path.insert(0, folder)
    return bool(archives)
