"""Hostile bytes and hostile order against one real coordinator: it closes the connection, says why, and goes on serving (G14).

    python3 hostile.py --coordinator PATH
"""
import argparse
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

import wire
from counter import NOTE, POKE
from end_to_end import free_port

DEADLINE = 20
MEMORY = 256 << 20
FORK = wire.Rpc(wire.CALL, NOTE, wire.FORK, body=wire.pack([1])).delivery_form()
IMPULSE = wire.Rpc(wire.CALL, POKE, wire.IMPULSE, body=wire.pack(["x"])).delivery_form()
UNREADABLE = wire.message(wire.RPC, b"\x09\x0e\x01")
SELF = wire.message(wire.DESTINATION, wire.destination(0, ""))
HELLO = wire.message(wire.HELLO, wire.hello(os.urandom(16), "hostile", "bank"))
CRC = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
    CRC.append(n)


def outputs(*rpcs, count=None):
    return SELF + wire.message(wire.OUTPUTS, wire.varint(0) + wire.varint(len(rpcs) if count is None else count) + b"".join(rpcs))


def impulses(*rpcs):
    return SELF + wire.message(wire.IMPULSES, wire.output_run(0, rpcs))


def frame(kind, body=b"", size=None, flags=0, damage=0):
    head = struct.pack("<IBBIH", len(body) if size is None else size, kind, flags, 0, 0)
    crc = 0xFFFFFFFF
    for byte in head + body:
        crc = CRC[(crc ^ byte) & 255] ^ crc >> 8
    return struct.pack("<I", crc ^ 0xFFFFFFFF ^ damage) + head + body


def peer_hello(generation=1, channel=0, cluster="default", sender="teller", to="bank", epoch=1, version=1, identity=b"\x01" * 16):
    return frame(1, b"AMBP" + wire.varint(version) + bytes([channel]) + wire.string(cluster) + wire.string(sender) + wire.string(to)
                 + identity + bytes(16) + wire.varint(epoch) + wire.varint(generation))


def batch(total, replayable, count, replayables, *messages):
    return frame(3, wire.varint(total) + wire.varint(replayable) + wire.varint(count) + wire.varint(replayables) + b"".join(messages))


BEFORE_HELLO = {
    "random bytes": bytes(range(7, 200)), "another protocol": b"GET / HTTP/1.1\r\n\r\n", "a size of 2^60": wire.zigzag(2**60), "another message": wire.message(wire.PROGRESS, b"\x01\x01\x01"),
    "a Hello of 9,000 bytes": wire.message(wire.HELLO, b"x" * 9000), "a Hello of another version": wire.message(wire.HELLO, wire.hello(bytes(16), "h", "bank", versions=(3, 9))),
    "a Hello of another instance": wire.message(wire.HELLO, wire.hello(bytes(16), "h", "teller")), "a Hello with a wrong token": wire.message(wire.HELLO, wire.hello(bytes(16), "h", "bank", "secret"))}

AFTER_HELLO = {
    "a Checkpoint that nobody asked for": wire.message(wire.CHECKPOINT, wire.zigzag(2)) + b"{}", "a Checkpoint of negative size": wire.message(wire.CHECKPOINT, wire.zigzag(-1)),
    "a second InitialMessage": wire.message(wire.INITIAL_MESSAGE, FORK), "Outputs to an undefined destination": wire.message(wire.OUTPUTS, wire.output_run(5, [FORK])),
    "Outputs with a wrong count": outputs(FORK, count=2), "Outputs with a count of 2^31": outputs(FORK, count=2**31), "impulses in Outputs": outputs(IMPULSE), "an unreadable message": outputs(UNREADABLE),
    "a cut message": outputs(FORK[:-1]), "Impulses before 15": impulses(IMPULSE), "forks in Impulses": wire.message(wire.BECOMING_PRIMARY) + impulses(FORK),
    "Impulses in a turn": wire.message(wire.BECOMING_PRIMARY) + outputs(FORK) + impulses(IMPULSE), "a Checkpoint in a turn": outputs(FORK) + wire.message(wire.CHECKPOINT, wire.zigzag(2)),
    "Progress beyond the log": wire.message(wire.PROGRESS, wire.progress(10**6, 1, True)), "Progress behind itself": wire.message(wire.PROGRESS, wire.progress(0, 0, True)),
    "a cut Progress": wire.message(wire.PROGRESS, b"\x01"), "a destination that is a path": wire.message(wire.DESTINATION, wire.destination(1, "../x")),
    "70,000 destinations": b"".join(wire.message(wire.DESTINATION, wire.destination(i, f"d{i}")) for i in range(70000)), "a published type that apps do not send": wire.message(14), "a bare RPC": FORK,
    "a size of 0": b"\x00\x00", "a size of -1": b"\x01\x00", "a size above the limit": wire.zigzag((64 << 20) + 1), "a size of 2^40": wire.zigzag(1 << 40), "a malformed size": b"\xff" * 11,
    "a cut fault": wire.message(wire.HANDLER_FAULT, b"\x01")}

LEGACY = {
    "random bytes": bytes(range(7, 200)), "a destination that is a path": wire.message(wire.RPC, wire.zigzag(3) + b"a/b\x00\x02\x01"), "an unreadable message": wire.message(wire.RPC, b"\x00\x09\x0e\x01"),
    "a batch that lies": wire.message(wire.RPC_BATCH, wire.zigzag(5) + wire.Rpc(wire.CALL, NOTE, wire.FORK).legacy_form("")), "a message of version 2": wire.message(wire.PROGRESS, b"\x01\x01\x01")}

PEERS = {
    "random bytes": bytes(range(7, 200)), "another protocol": b"GET / HTTP/1.1\r\n" * 3, "a frame of 4 GiB": frame(1, size=2**32 - 1), "a frame with flags": frame(1, flags=1), "an unknown frame": frame(9),
    "a batch before Hello": batch(1, 1, 1, 1, FORK), "another version": peer_hello(version=2), "another cluster": peer_hello(cluster="x"), "another destination": peer_hello(to="zed"),
    "the instance's own name": peer_hello(sender="bank"), "control without data": peer_hello(channel=1, sender="zed"), "a gap": peer_hello(1) + batch(5, 5, 1, 1, FORK), "a batch that lies": peer_hello(2) + batch(1, 1, 2, 2, FORK),
    "an unreadable message": peer_hello(3) + batch(1, 1, 1, 1, UNREADABLE), "a trim on data": peer_hello(4) + frame(4, bytes(20)), "a wrong checksum": peer_hello(5) + frame(3, b"\x01\x01\x00\x00", damage=1),
    "the largest numbers": peer_hello(6) + batch(2**64 - 1, 2**64 - 1, 1, 1, FORK), "an older generation's repeat": peer_hello(8) + batch(1, 1, 1, 1, FORK) + batch(1, 1, 1, 1, FORK),
    "another identity under a known name": peer_hello(9, identity=b"\x02" * 16)}


class Victim:
    def __init__(self, coordinator):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fb-"))
        self.receive, self.send, self.peer = free_port(), free_port(), free_port()
        self.socket = str(self.folder / "s")
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(
            [coordinator, "--instance-name", "bank", "--store", f"file:{self.folder}/store", "--catalog", f"file:{self.folder}/catalog", "--binding-socket", self.socket,
             "--receive-port", str(self.receive), "--send-port", str(self.send), "--peer-address", f"tcp:127.0.0.1:{self.peer}"], stdout=self.log, stderr=self.log)

    def connect(self, address):
        deadline = time.monotonic() + DEADLINE
        while True:
            connection = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
            connection.settimeout(DEADLINE)
            try:
                connection.connect(address)
                return connection
            except OSError:
                connection.close()
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise AssertionError(f"nobody listens at {address}") from None
                time.sleep(0.02)

    def attach(self):
        """A version 2 app up to the first message that tells what it is: a checkpoint, or the request for the first one."""
        while True:
            app = self.connect(self.socket)
            app.sendall(HELLO)
            received = bytearray()
            while (welcome := wire.parse_message(received, 0)) is None:
                received += app.recv(1 << 16)
            if welcome[0] == wire.WELCOME:
                break
            app.close()  # The predecessor's end is not known yet.
        while (first := wire.parse_message(received, welcome[2])) is None:
            received += app.recv(1 << 16)
        return app, first[0]

    def expect_end(self, connection, what):
        """Reads to the end of the stream."""
        try:
            while connection.recv(1 << 16):
                pass
        except ConnectionResetError:
            pass
        except socket.timeout:
            raise AssertionError(f"the connection was not closed after {what}") from None
        finally:
            connection.close()
        if self.process.poll() is not None:
            raise AssertionError(f"the coordinator ended with {self.process.returncode} after {what}")

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


def send(connection, data):
    try:
        connection.sendall(data)
    except OSError:
        pass  # It was closed while it still spoke: as good as afterwards.


def attack(victim):
    first, asked = victim.attach()
    if asked != wire.TAKE_BECOMING_PRIMARY_CHECKPOINT:
        raise AssertionError(f"a first start began with a message of type {asked}")
    first.sendall(wire.message(wire.INITIAL_MESSAGE, FORK) + wire.message(wire.CHECKPOINT, wire.zigzag(2)) + b"{}")
    received = bytearray()
    while wire.message(wire.BECOMING_PRIMARY) not in received:
        received += first.recv(1 << 16)
    first.close()
    count = 0
    for what, data in BEFORE_HELLO.items():
        app = victim.connect(victim.socket)
        send(app, data)
        victim.expect_end(app, what)
        count += 1
    for what, data in AFTER_HELLO.items():
        app, _ = victim.attach()
        send(app, data)
        victim.expect_end(app, what)
        count += 1
    for what, data in LEGACY.items():
        to_coordinator, from_coordinator = victim.connect(("127.0.0.1", victim.receive)), victim.connect(("127.0.0.1", victim.send))
        send(to_coordinator, data)
        victim.expect_end(from_coordinator, f"{what} on the legacy pair")
        to_coordinator.close()
        count += 1
    for what, data in PEERS.items():
        peer = victim.connect(("127.0.0.1", victim.peer))
        send(peer, data)
        victim.expect_end(peer, f"{what} from a peer")
        count += 1
    app, restored = victim.attach()
    if restored != wire.CHECKPOINT:
        raise AssertionError("an honest app is not served any more")
    app.close()
    return count


def peak_memory(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coordinator", required=True, help="the coordinator's executable")
    victim = Victim(parser.parse_args(arguments).coordinator)
    try:
        count = attack(victim)
        memory = peak_memory(victim.process)
        if memory > MEMORY:
            raise AssertionError(f"the coordinator took {memory >> 20} MiB")
        print(f"hostile: {count} offences, each connection closed, the coordinator serves on; at most {memory >> 20} MiB")
    except AssertionError as wrong:
        print(f"WRONG: {wrong}; the log is in {victim.folder}")
        return 1
    finally:
        victim.stop()
    log = (victim.folder / "log").read_text("utf-8")
    shutil.rmtree(victim.folder)
    if "   at " in log:
        print(f"WRONG: a stack trace in the coordinator's log:\n{log}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
