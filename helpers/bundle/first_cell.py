"""The first code cell of a bundled notebook: all below this line stands in it, word for word."""

# Finds the course's package, `helpers`: the one that is installed, else the wheel beside this notebook,
# else the copy that a folded cell carries. Nothing gets installed.


class NotReady(ImportError):
    """Shown as one sentence, without a traceback."""

    def _render_traceback_(self):
        return [str(self)]


def make_ready(copy=""):
    """Make `import helpers` work, and say whether it does; copy: the package as a zip file in base64."""
    import atexit, base64, importlib.util, io, shutil, sys, tempfile, zipfile
    from pathlib import Path

    found = importlib.util.find_spec("helpers")
    if found and found.origin:
        if (Path(found.origin).parent / "transformer.py").exists():
            return True
        raise NotReady(
            f"Your file {found.origin} hides the course's package, which is called helpers too: "
            "rename yours, restart the kernel and run this cell again."
        )
    here = Path.cwd()
    wheels = [file for place in (here, here.parent) for file in sorted(place.glob("transformer_by_hand-*.whl"))]
    wheels = [file for file in wheels if zipfile.is_zipfile(file)]
    if wheels or copy:
        archive = wheels[0] if wheels else io.BytesIO(base64.b64decode(copy))
        folder = tempfile.mkdtemp(prefix="transformer-by-hand-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        zipfile.ZipFile(archive).extractall(folder)
        sys.path.insert(0, folder)
    return bool(wheels or copy)
