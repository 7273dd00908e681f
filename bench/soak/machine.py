"""What the service stands on, as it is steered: its disk and clock (tests/faults/steered.c), and its file of tokens."""
import contextlib
import mmap
import os
import secrets
import sqlite3
import struct
import subprocess
import time

FAULTS = {"none": 0, "ENOSPC": 1, "EIO on write": 2, "EIO on sync": 3, "EIO on read": 4, "nearly full": 5, "no room for the index": 6, "read-only": 7, "little room": 8}
PASSES = 24 + 8 * len(FAULTS)
SIZE = PASSES + 8
FIRST = {"read-only": "EIO on sync"}  # what it begins with
HELD = ("no room for the index", "little room")  # while a reader holds the write-ahead log, as a backup does
PAGE, FRAME, LOG_HEADER = 4096, 4096 + 24, 32
INDEXED_FRAMES = 4062  # by the first 32 KB of a log's index
TOKEN_SECONDS = 10  # a change of the file holds within that


class Machine:
    def __init__(self, folder, library):
        self.data = folder / "data"
        self.data.mkdir(mode=0o700)
        path = folder / "control"
        path.write_bytes(bytes(SIZE))
        with path.open("r+b") as file:
            self.control = mmap.mmap(file.fileno(), SIZE)
        self.environment = {"LD_PRELOAD": str(library), "STEERED_CONTROL": str(path), "STEERED_FOLDER": str(self.data)}
        self.present, self.last_fault, self.last_fault_ended = "none", "none", -1.0

    def fail(self, how, after="none", room_bytes=0, passes=0):
        """`passes`: so many calls are made before one fails."""
        if how == "none" and self.present != "none":
            self.last_fault_ended = time.monotonic()
        self.present = how
        self.last_fault = self.last_fault if how == "none" else how
        if how in FIRST:
            how, after = FIRST[how], how
        struct.pack_into("<q", self.control, 16, room_bytes)
        struct.pack_into("<q", self.control, PASSES, passes)
        struct.pack_into("<ii", self.control, 0, FAULTS[how], FAULTS[after])

    def fail_once(self, how, passes):
        """One call fails, the one after so many; then the disk works."""
        self.fail(how, after="little room", room_bytes=1 << 40, passes=passes)

    def failed_since(self, begun):
        """Did the disk fail at any time since then, or within the seconds before in which the service tries again?"""
        return self.present != "none" or self.last_fault_ended > begun - 3

    def shift_clock(self, seconds):
        struct.pack_into("<q", self.control, 8, int(seconds * 1e9))

    def hits(self):
        return {name: struct.unpack_from("<q", self.control, 24 + 8 * at)[0] for name, at in FAULTS.items() if at}


@contextlib.contextmanager
def held_log(data, frames):
    """A reader holds the write-ahead log, in which so many frames are, so that it grows."""
    path = data / "coalesced.db"
    reader, writer = sqlite3.connect(path), sqlite3.connect(path, isolation_level=None)
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM experiments").fetchall()
        for words in ("PRAGMA busy_timeout = 10000", "PRAGMA synchronous = OFF", "PRAGMA wal_autocheckpoint = 0"):
            writer.execute(words)
        (version,) = writer.execute("PRAGMA user_version").fetchone()
        while frames_of(data) < frames:
            writer.execute(f"PRAGMA user_version = {version}")
        yield
    finally:
        writer.close()
        reader.close()


def frames_of(data):
    """As the log's file is long."""
    return (os.path.getsize(data / "coalesced.db-wal") - LOG_HEADER) // FRAME


class Tokens:
    """Each owner's secret. The service's own command makes them where it has one; otherwise they are bare words, one a line,
    which hold from the next start on."""

    def __init__(self, binary, path, roles):
        self.binary, self.path, self.roles = binary, path, roles
        self.current, self.revoked = {}, []  # owner: (secret, changed at, the one before); (secret, revoked at)
        self.named = self.command("add", "probe", "--role", "read").returncode == 0
        path.unlink(missing_ok=True)
        for owner in roles:
            self.give(owner)

    def command(self, *words):
        return subprocess.run([str(self.binary), "token", *words, "--token-file", str(self.path)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)

    def give(self, owner):
        if self.named:
            done = self.command("add", owner, "--role", self.roles[owner])
            if done.returncode:
                raise RuntimeError(f"token add {owner}: {done.stderr}")
            secret = done.stdout.strip()
        else:
            secret = secrets.token_urlsafe(24)
        before = self.current[owner][0] if owner in self.current else None
        self.current[owner] = (secret, time.monotonic(), before)
        if not self.named:
            self.write_bare()

    def write_bare(self):
        fresh = self.path.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_text("".join(secret + "\n" for secret, *_ in self.current.values()))
        os.replace(fresh, self.path)

    def change(self, owner):
        secret, _, before = self.current[owner]
        self.current[owner] = (secret, time.monotonic(), before)  # from here on it may be refused
        if self.named:
            done = self.command("revoke", owner)
            if done.returncode:
                raise RuntimeError(f"token revoke {owner}: {done.stderr}")
        self.revoked.append((secret, time.monotonic()))
        self.give(owner)

    def secret(self, owner, life_began):
        """What holds for a service that began then."""
        secret, changed, before = self.current[owner]
        return before if before and not self.named and changed > life_began else secret

    def is_new(self, owner, life_began, begun):
        """Might a service that began then not yet know of it, when asked at `begun`?"""
        changed = self.current[owner][1]
        return changed > begun - TOKEN_SECONDS and changed > life_began

    def dead(self, life_began, begun):
        """A secret that nobody may take any more, or None."""
        long = [secret for secret, at in self.revoked if at < life_began or (self.named and at < begun - TOKEN_SECONDS)]
        return long[-1] if long else None
