"""A binding of the original system, as its published protocol and its own bindings have it: for the legacy port pair, and nothing of version 2.

    python3 original.py --style js|cs --name NAME --send-port 2001 --receive-port 2000 [--peer NAME --calls N]

It shares no code with binding.py, and is as strict as the original's bindings are:
  js   initial message "2.0.1"; arguments are JSON, or ff and bytes, or nothing; outputs of a record go as one RPCBatch; stops at a gap between record ids
  cs   initial message zigzag length and "hello"; async calls with replies of the form: form, length and name of who replies, number, value; a batch of one is an error
Both save their state later than they are asked (--lazy), and end with code 9 when something is delivered meanwhile.
The app in it numbers what it sends to its peer, and counts what its peers number. Ports are the binding's: it sends to the coordinator's --receive-port.
"""
import argparse
import json
import os
import select
import socket
import struct
import sys
import time

RPC, ATTACH_TO, TAKE_CHECKPOINT, RPC_BATCH, CHECKPOINT, INITIAL, UPGRADE_CHECKPOINT, PRIMARY_CHECKPOINT, UPGRADE, COUNTED_BATCH, BECOMING_PRIMARY = 0, 1, 2, 5, 8, 9, 10, 11, 12, 13, 15
ASYNC, FORK, IMPULSE = 0, 1, 2
ADD, NOTE, DATA, NOTHING, ACK = 1, 2, 4, 5, 9
WINDOW = 16


class Broken(Exception):
    """The coordinator did what a binding of the original cannot stand."""


class Gone(Exception):
    """The coordinator has gone."""


def zz(value):
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def unzz(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return (value >> 1) ^ -(value & 1), at


def framed(kind, data=b""):
    return zz(1 + len(data)) + bytes([kind]) + data


class Js:
    """Arguments and outputs of the JavaScript binding."""
    initial = b"2.0.1"

    def __init__(self, binding):
        self.binding = binding

    def next_to(self, number):
        """Outgoing data of the call with this number: a fork, which is acknowledged by another one."""
        return b"\x00" + zz(NOTE) + bytes([FORK]) + json.dumps({"number": number}).encode()

    def receive(self, data):
        form, (method, at) = data[0], unzz(data, 1)
        if form != 0:
            raise Broken("a reply: this binding has none")
        kind, body = data[at], data[at + 1:]
        if kind == ASYNC:
            raise Broken("an async call, which this binding cannot answer")
        if body[:1] == b"{":
            arguments = json.loads(body)
        else:
            arguments = body[1:]  # Empty, or a byte that is no brace in front of raw ones.
        app = self.binding.app
        if method == DATA:
            app["bytes"] += len(arguments)
            app["data"] += 1
        elif method == NOTE:
            app["disorder"] += arguments["number"] != app["notes"] + 1
            app["notes"] += 1
            self.binding.send(app["acknowledgeTo"], b"\x00" + zz(ACK) + bytes([FORK]) + body)
        elif method == ACK:
            self.binding.acknowledged(arguments["number"])
        else:
            app["others"] += 1

    def flush(self, messages):
        """What a record has brought about goes as one batch; a single message goes alone."""
        if len(messages) > 1:
            return framed(RPC_BATCH, zz(len(messages)) + b"".join(messages))
        return b"".join(messages)


class Cs:
    """Calls and replies of the C# binding."""
    initial = zz(5) + b"hello"

    def __init__(self, binding):
        self.binding = binding

    def next_to(self, number):
        name = self.binding.name
        return b"\x00" + zz(ADD) + bytes([ASYNC]) + zz(len(name)) + name + zz(number) + struct.pack("<q", number)

    def receive(self, data):
        form, app = data[0], self.binding.app
        if form != 0:
            length, at = unzz(data, 1)
            sender, at = data[at:at + length], at + length
            number, at = unzz(data, at)
            if sender.decode() != app["peer"] or form != 1 or struct.unpack("<q", data[at:])[0] != number:
                raise Broken(f"reply {form} {number} from {sender} is not what {app['peer']} sent")
            self.binding.acknowledged(number)
            return
        method, at = unzz(data, 1)
        kind, at = data[at], at + 1
        if method != ADD or kind != ASYNC:
            app["others"] += 1
            return
        length, at = unzz(data, at)
        caller, at = data[at:at + length], at + length
        number, at = unzz(data, at)
        app["disorder"] += number != app["notes"] + 1
        app["notes"] += 1
        name = self.binding.name
        self.binding.send(caller.decode(), b"\x01" + zz(len(name)) + name + zz(number) + data[at:])

    def flush(self, messages):
        return b"".join(messages)


class Binding:
    def __init__(self, options):
        self.options, self.name = options, options.name.encode()
        self.app = {"version": 1, "converted": 0, "firsts": [], "notes": 0, "disorder": 0, "others": 0, "bytes": 0, "data": 0, "peer": options.peer, "calls": options.calls, "sent": 0,
                    "replies": 0, "acknowledgeTo": options.acknowledge_to}
        self.style = (Js if options.style == "js" else Cs)(self)
        self.output = connect(options, options.send_port)
        self.input = connect(options, options.receive_port)
        self.received, self.unsent = bytearray(), []
        self.last_id = self.committer = self.due = None
        self.recovering = self.primary = self.upgraded = self.complete = self.stalled = False
        self.attached = set()

    # ---- the app

    def first_start(self, data):
        self.app["firsts"].append(data.hex())
        for _ in range(min(WINDOW, self.app["calls"])):
            self.send_next()
        for size in self.options.data:
            self.send("", b"\x00" + zz(DATA) + bytes([FORK]) + b"\xff" + bytes(size))

    def send_next(self):
        self.app["sent"] += 1
        self.send(self.app["peer"], self.style.next_to(self.app["sent"]))
        if self.options.extras and self.app["sent"] % 10 == 0:
            self.send(self.app["peer"], b"\x00" + zz(DATA) + bytes([FORK]) + b"\xff" + bytes(100))
            self.send(self.app["peer"], b"\x00" + zz(NOTHING) + bytes([FORK]))

    def acknowledged(self, number):
        self.app["disorder"] += number != self.app["replies"] + 1
        self.app["replies"] += 1
        if self.app["sent"] < self.app["calls"]:
            self.send_next()

    def send(self, destination, data):
        if destination and destination not in self.attached:
            self.attached.add(destination)
            self.output.sendall(framed(ATTACH_TO, destination.encode()))
        self.unsent.append(framed(RPC, zz(len(destination)) + destination.encode() + data))

    # ---- the link

    def flush(self):
        if self.unsent:
            batch, self.unsent = self.style.flush(self.unsent), []
            self.output.sendall(batch)

    def save(self):
        self.due = None
        state = json.dumps(self.app).encode()
        self.output.sendall(framed(CHECKPOINT, zz(len(state))) + state)

    def save_later(self):
        """A producer that is asked now and reads the state when its stream is read."""
        self.due = time.monotonic() + self.options.lazy

    def exactly(self, count):
        while len(self.received) < count:
            if self.due is not None and time.monotonic() >= self.due:
                self.save()
            self.report()
            if not select.select([self.input], [], [], 0.05 if self.due is None else 0.005)[0]:
                continue
            part = self.input.recv(1 << 20)
            if not part:
                raise Gone("end of stream")
            self.received += part
        taken, self.received = bytes(self.received[:count]), self.received[count:]
        return taken

    def serve(self):
        while True:
            committer, size, _, number = struct.unpack("<iiqq", self.exactly(24))
            if self.committer not in (None, committer) or size < 24:
                raise Broken(f"record of {size} bytes of {committer} after {self.committer}")
            self.committer = committer
            if number >= 0:
                if self.last_id is not None and number != self.last_id + 1:
                    raise Broken(f"record {number} follows {self.last_id}")
                if self.due is not None:
                    raise Broken(f"record {number} was delivered before the checkpoint that was asked for")
                self.last_id = number
            self.record(self.exactly(size - 24))
            self.flush()
            if self.options.stall and self.app["notes"] >= self.options.stall_at and not self.stalled:
                self.stalled = True
                time.sleep(self.options.stall)

    def record(self, data):
        at = 0
        while at < len(data):
            size, at = unzz(data, at)
            kind, body, at = data[at], data[at + 1:at + size], at + size
            self.take(kind, body)

    def take(self, kind, data):
        if kind in (RPC_BATCH, COUNTED_BATCH):
            count, at = unzz(data, 0)
            if kind == COUNTED_BATCH:
                _, at = unzz(data, at)
            if count == 1 and self.options.style == "cs":
                raise Broken("a batch of one, whose message this binding takes for a message without size")
            while at < len(data):
                size, at = unzz(data, at)
                if data[at] != RPC:
                    raise Broken(f"message of type {data[at]} in a batch")
                self.style.receive(data[at + 1:at + size])
                at, count = at + size, count - 1
            if count:
                raise Broken("the batch holds other messages than it says")
        elif kind == RPC:
            self.style.receive(data)
        elif kind == INITIAL:
            self.first_start(data)
        elif kind == CHECKPOINT:
            self.app = json.loads(self.exactly(unzz(data, 0)[0]))
            self.recovering = True
        elif kind == TAKE_CHECKPOINT:
            self.complete |= self.upgraded  # So the original's binding learns that its upgrade is complete.
            self.save_later()
        elif kind == PRIMARY_CHECKPOINT:
            if not self.recovering:
                self.output.sendall(framed(INITIAL, self.style.initial))
            self.recovering, self.primary = False, True
            self.save_later()
        elif kind in (UPGRADE_CHECKPOINT, UPGRADE):
            if not self.recovering:
                raise Broken("an upgrade without a checkpoint before it")
            self.app["version"] += 1
            self.app["converted"] = kind
            if kind == UPGRADE_CHECKPOINT:
                self.recovering, self.primary, self.upgraded = False, True, True
                self.save()
        else:
            raise Broken(f"message of type {kind}")

    def report(self):
        if self.options.report and self.primary:
            text = json.dumps({**self.app, "complete": self.complete})
            if text != getattr(self, "reported", None):
                with open(self.options.report + ".new", "w", encoding="utf-8") as file:
                    file.write(text)
                os.replace(self.options.report + ".new", self.options.report)
                self.reported = text


def connect(options, port):
    deadline = time.monotonic() + options.connect_timeout
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError as error:
            if time.monotonic() > deadline:
                raise Gone(str(error)) from None
            time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--style", choices=("js", "cs"), required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--send-port", type=int, required=True)
    parser.add_argument("--receive-port", type=int, required=True)
    parser.add_argument("--peer", default="")
    parser.add_argument("--acknowledge-to", default="", help="js: who is told of each number, since a fork does not say who sent it")
    parser.add_argument("--calls", type=int, default=0)
    parser.add_argument("--data", type=int, nargs="*", default=[], help="at the first start: bytes of messages to itself, sent in one batch")
    parser.add_argument("--extras", action="store_true", help="js: raw bytes, and no arguments, behind every tenth number")
    parser.add_argument("--lazy", type=float, default=0.05, help="seconds between a request for a checkpoint and the checkpoint")
    parser.add_argument("--stall", type=float, default=0, help="seconds without reading, once")
    parser.add_argument("--stall-at", type=int, default=10, help="notes before the stall")
    parser.add_argument("--report")
    parser.add_argument("--connect-timeout", type=float, default=30)
    options = parser.parse_args()
    try:
        Binding(options).serve()
    except (Gone, OSError) as error:
        print(f"the coordinator has gone: {error}", file=sys.stderr)
        return 3
    except Broken as error:
        print(f"broken: {error}", file=sys.stderr)
        return 9
    return 0


if __name__ == "__main__":
    sys.exit(main())
