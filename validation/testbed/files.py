"""Files that are written whole or not at all, and what must not be written to."""
import os
import stat
import tempfile


class BadFile(Exception):
    """One line that says which file cannot be written."""


def replace(path, text):
    """The file anew, behind a link too; what stood there stays if anything goes wrong."""
    real = os.path.realpath(path)
    try:
        handle, new = tempfile.mkstemp(dir=os.path.dirname(real), prefix=".testbed-")
    except OSError as problem:
        raise BadFile(f"{path}: {problem.strerror}")
    try:
        with open(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(new, 0o666 & ~mask)
        os.replace(new, real)
    except OSError as problem:
        os.unlink(new)
        raise BadFile(f"{path}: {problem.strerror}")


def check(path, inputs):
    """Before a run: a place where a file can be written, which is none of the inputs."""
    real = os.path.realpath(path)
    if not path:
        raise BadFile("--out is empty")
    if os.path.lexists(path) and not (os.path.exists(real) and
                                      stat.S_ISREG(os.stat(real).st_mode)):
        raise BadFile(f"{path}: is there, and no file")
    for other in inputs:
        if os.path.exists(other) and os.path.realpath(other) == real:
            raise BadFile(f"{path}: is read too: give another name to write to")
    folder(os.path.dirname(real), path)


def folder(path, of=None):
    """A folder to write to, made if it is not there."""
    try:
        os.makedirs(path, exist_ok=True)
        handle, probe = tempfile.mkstemp(dir=path, prefix=".testbed-")
        os.close(handle)
        os.unlink(probe)
    except OSError as problem:
        raise BadFile(f"{of or path}: {problem.strerror}")
