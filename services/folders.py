"""Where the embedded servers live, and as whom: folders that they can reach and nobody else can use."""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import shutil
import stat
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir

from services.processes import Account

SOCKET_BYTES = 107
"""The longest path of a unix socket."""

_USERS = ("postgres", "nobody")
_LONGEST_SOCKET = ".s.PGSQL.5432"
_PLAIN_PATH = re.compile(r"[\w./-]+", re.ASCII)  # needs no quotes in a URL, nor in PostgreSQL's settings


class EmbeddedError(Exception):
    """An embedded server can't run; the message says what to do."""


def server_account(cluster: Path) -> Account | None:
    """Whom the servers run as: us, unless we are root; then the cluster's owner, or the first of `_USERS`."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall() if entry.pw_uid != 0}
    owner = pwd.getpwuid(cluster.stat().st_uid).pw_name if cluster.exists() else None
    for name in (owner,) if owner else _USERS:
        if entry := known.get(name):
            return Account(name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedError(
        "PostgreSQL does not run as root, and there is no user `postgres` or `nobody` to run it: start as an "
        "ordinary user, or set DATABASE_URL and REDIS_URL"
    )


def make_data(data: Path, account: Account | None) -> None:
    """The data directory: ours alone, but for a server's user who must pass through it."""
    if account and (closed := _closed_folder(data.parent, account)):
        raise EmbeddedError(
            f"as root, the servers run as the user {account.name}, who may not enter {closed}: choose a data "
            f"directory elsewhere (BIG2_DATA, --data), start as an ordinary user, or set DATABASE_URL and REDIS_URL"
        )
    if not data.exists():
        data.mkdir(mode=0o700, parents=True)
    if account and not _enters(data, account):
        os.chown(data, -1, account.gid)
        data.chmod(stat.S_IMODE(data.stat().st_mode) | stat.S_IXGRP)


def own_folder(folder: Path, account: Account | None) -> None:
    """A folder that only the server's user may enter; one that somebody else has put there is refused."""
    owner = account.uid if account else os.geteuid()
    if not folder.exists():
        folder.mkdir(mode=0o700)
        if account:
            os.chown(folder, account.uid, account.gid)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != owner or found.st_mode & 0o077:
        raise EmbeddedError(f"{folder} must be a folder of user {owner} with mode 0700: move it away")


def socket_folder(data: Path) -> Path:
    """DATA/run, or a folder in /tmp that is always the same for this DATA when that path won't do for a socket."""
    folder = data / "run"
    if len(bytes(folder / _LONGEST_SOCKET)) <= SOCKET_BYTES and _PLAIN_PATH.fullmatch(str(folder)):
        return folder
    name = hashlib.sha256(bytes(data)).hexdigest()[:16]
    return Path(f"/tmp/big2-{os.geteuid()}-{name}")  # noqa: S108 - `own_folder` refuses another's


def _closed_folder(path: Path, account: Account) -> Path | None:
    """The first folder on the way to `path`, itself included, that exists and that the user may not enter."""
    way = (*reversed(path.parents), path)
    return next((folder for folder in way if folder.exists() and not _enters(folder, account)), None)


def _enters(folder: Path, account: Account) -> bool:
    found = folder.stat()
    if found.st_uid == account.uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == account.gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)


def within_reach(package: str, data: Path, account: Account | None) -> Path:
    """The installed package; or a copy in DATA, when a folder above it is closed to the server's user."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise EmbeddedError(f"the package {package} is missing: install this release with its dependencies")
    installed = Path(spec.origin).parent
    if account is None or _closed_folder(installed, account) is None:
        return installed
    copies = data / "programs"
    if not (copies / package).exists():
        for name in (f"{package}.libs", package):  # the package last: when it is there, all is
            _copy(installed.with_name(name), copies / name)
    return copies / package


def _copy(source: Path, target: Path) -> None:
    if source.exists():
        unfinished = target.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(source, unfinished, symlinks=True)
        unfinished.rename(target)


def empty_memory_folder(name: str) -> Path:
    """An empty folder of our own, in memory where there is such a place: a full disk does not matter there."""
    memory = Path("/dev/shm")  # noqa: S108 - `own_folder` refuses another's
    folder = (memory if memory.is_dir() else Path(gettempdir())) / f"big2-{os.geteuid()}-{name}"
    if folder.exists() and folder.lstat().st_uid == os.geteuid():
        shutil.rmtree(folder)
    own_folder(folder, None)
    return folder
