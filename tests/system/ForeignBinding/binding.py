"""A binding of Ambrosia in plain Python, written from docs/internals/protocol.md alone: the legacy port pair and version 2 of the binding link.

    python3 binding.py --mode v2 --socket PATH --name NAME
    python3 binding.py --mode legacy --receive-port 2001 --send-port 2000 --name NAME

The app in it is counter.py. Ports are the binding's: it sends to the coordinator's --receive-port, so that is its --send-port.
"""
import argparse
import json
import os
import select
import socket
import sys
import time

import wire
from counter import POKE, Counter, Later


class LinkClosed(Exception):
    """The coordinator is gone."""


class Runtime:
    """What both forms of the link share: executes messages, collects what they send, saves and loads everything."""

    def __init__(self, instance):
        self.instance = instance
        self.outputs = []  # (destination, Rpc) of the turns since the last flush
        self.faults = []
        self.next_call = 1
        self.waiting = {}
        self.app = Counter(self)

    def execute(self, data):
        """One turn."""
        rpc = wire.Rpc.parse(data)
        if rpc.form != wire.CALL:
            tag = self.waiting.pop(str(rpc.call), None)
            if tag is not None:
                self.app.replied(tag, rpc.form, None if rpc.form == wire.VOID else wire.unpack(rpc.body))
        elif rpc.method == wire.FIRST_START:
            self.app.first_start(wire.unpack(rpc.body))
        else:
            self.call(rpc)

    def call(self, rpc):
        try:
            result = self.app.handle(rpc, wire.unpack(rpc.body))
        except (ValueError, TypeError, IndexError, wire.ProtocolError) as error:
            self.failed(rpc, type(error).__name__, str(error))
            return
        if rpc.kind == wire.ASYNC and result is not Later:
            self.reply(rpc.caller, rpc.call, rpc.method, result)

    def skip(self, data):
        """The message was taken out: its caller is told, nothing else happens."""
        rpc = wire.Rpc.parse(data)
        if rpc.form == wire.CALL:
            self.failed(rpc, "Skipped", "the message was taken out of the log")

    def failed(self, rpc, kind, text):
        if rpc.kind == wire.ASYNC:
            body = wire.pack([kind, text, "", None])
            self.outputs.append((rpc.caller, wire.Rpc(wire.EXCEPTION, rpc.method, wire.FORK, call=rpc.call, body=body)))
        else:
            self.app.state["faults"] += 1
            self.faults.append((rpc.method, f"{kind}: {text}"))

    def reply(self, caller, call, method, value):
        form, body = (wire.VOID, b"") if value is None else (wire.VALUE, wire.pack(value))
        self.outputs.append((caller, wire.Rpc(form, method, wire.FORK, call=call, body=body)))

    def send_async(self, destination, method, arguments, tag):
        self.outputs.append((destination, wire.Rpc(wire.CALL, method, wire.ASYNC, self.instance, self.next_call, wire.pack(arguments))))
        self.waiting[str(self.next_call)] = tag
        self.next_call += 1

    def send_fork(self, destination, method, arguments):
        self.outputs.append((destination, wire.Rpc(wire.CALL, method, wire.FORK, body=wire.pack(arguments))))

    def save(self):
        return json.dumps({"nextCall": self.next_call, "waiting": self.waiting, "app": self.app.state}).encode()

    def load(self, checkpoint):
        saved = json.loads(checkpoint)
        self.next_call, self.waiting, self.app.state = saved["nextCall"], saved["waiting"], saved["app"]

    def take_outputs(self):
        taken, self.outputs = self.outputs, []
        return taken


class Stream:
    """Whole pieces out of a socket."""

    def __init__(self, connection):
        self.socket, self.buffer, self.offset = connection, bytearray(), 0

    def message(self, limit):
        while True:
            found = wire.parse_message(self.buffer, self.offset, limit)
            if found is not None:
                kind, data, self.offset = found
                return kind, data
            self.fill()

    def exactly(self, count):
        while len(self.buffer) - self.offset < count:
            self.fill()
        self.offset += count
        return bytes(self.buffer[self.offset - count:self.offset])

    def has_bytes(self, seconds=0.0):
        """True if something can be read now, or within the time."""
        return self.offset < len(self.buffer) or bool(select.select([self.socket], [], [], seconds)[0])

    def fill(self):
        del self.buffer[:self.offset]
        self.offset = 0
        try:
            received = self.socket.recv(1 << 18)
        except OSError as error:
            raise LinkClosed(str(error)) from None
        if not received:
            raise LinkClosed("end of stream")
        self.buffer += received


class Link:
    """Common to both forms: when to write, what to do while nothing comes."""

    def __init__(self, options):
        self.options = options
        self.runtime = None
        self.primary = False
        self.poked = 0
        self.pending = bytearray()
        self.reported = None
        self.incarnation = os.urandom(16)

    def first_message(self):
        arguments = wire.pack([self.options.peer, self.options.calls])
        return wire.Rpc(wire.CALL, wire.FIRST_START, wire.FORK, body=arguments).delivery_form()

    def write(self, data):
        self.pending += data

    def flush(self):
        try:
            self.output.sendall(self.pending)
        except OSError as error:
            raise LinkClosed(str(error)) from None
        self.pending.clear()

    def rest(self):
        """Nothing is left to read: send what there is, then serve the outside world until something comes."""
        self.report()
        while not self.input.has_bytes():
            if self.primary and self.poked < self.options.pokes:
                self.poked += 1
                self.poke(wire.Rpc(wire.CALL, POKE, wire.IMPULSE, body=wire.pack([f"{self.incarnation.hex()}-{self.poked}"])))
            self.flush()
            if self.input.has_bytes(0.05):
                return

    def report(self):
        """The state as a file, for a test that watches; not while recovering."""
        if self.options.report and self.primary:
            state = json.dumps(self.runtime.app.state, sort_keys=True)
            if state != self.reported:
                temporary = self.options.report + ".new"
                with open(temporary, "w", encoding="utf-8") as file:
                    file.write(state)
                os.replace(temporary, self.options.report)
                self.reported = state


class Version2Link(Link):
    """Section 5."""

    def __init__(self, options):
        super().__init__(options)
        self.output = connect(options, socket.AF_UNIX, options.socket)
        self.input = Stream(self.output)
        self.indexes = {}
        self.skipped = set()
        self.lsn = 0

    def serve(self):
        self.write(wire.message(wire.HELLO, wire.hello(self.incarnation, "python 1", self.options.name, token())))
        self.flush()
        kind, data = self.input.message(wire.MAX_MESSAGE)
        if kind == wire.REFUSED:
            refused = wire.parse_refused(data)
            raise wire.Refused(f"{refused['code']} {refused['reason']}")
        if kind != wire.WELCOME:
            raise wire.ProtocolError(f"message of type {kind} instead of a welcome")
        self.welcome = wire.parse_welcome(data)
        self.runtime = Runtime(self.welcome["instance"])
        while True:
            if not self.input.has_bytes():
                self.rest()
            kind, data = self.input.message(self.welcome["maxMessageBytes"])
            if kind == wire.DRAIN:
                self.write(wire.message(wire.GOODBYE, wire.string("drained")))
                self.flush()
                return
            self.take(kind, data)

    def take(self, kind, data):
        if kind == wire.RECORD_INFO:
            info = wire.parse_record_info(data)
            self.record(info, self.input.exactly(info["payload"]))
        elif kind == wire.CHECKPOINT:
            self.runtime.load(self.input.exactly(wire.Reader(data).zigzag()))
        elif kind in (wire.TAKE_CHECKPOINT, wire.TAKE_BECOMING_PRIMARY_CHECKPOINT):
            if kind == wire.TAKE_BECOMING_PRIMARY_CHECKPOINT:
                self.write(wire.message(wire.INITIAL_MESSAGE, self.first_message()))
            state = self.runtime.save()
            self.write(wire.message(wire.CHECKPOINT, wire.zigzag(len(state))) + state)
        elif kind == wire.BECOMING_PRIMARY:
            self.write(wire.message(wire.BECOMING_PRIMARY))
            self.primary = True
        elif kind == wire.HEARTBEAT:
            self.write(wire.message(wire.HEARTBEAT))
        elif kind == wire.SKIP:
            reader = wire.Reader(data)
            self.skipped.add((reader.varint(), reader.varint()))
        elif kind == wire.STATE_REQUEST:
            request = wire.Reader(data).varint()
            self.write(wire.message(wire.STATE_REPLY, wire.varint(request) + json.dumps(self.runtime.app.state).encode()))
        elif kind == wire.QUERY:
            answer = json.dumps(self.runtime.app.state).encode()
            self.write(wire.message(wire.QUERY_REPLY, wire.query_reply(wire.parse_query(data)["id"], wire.ANSWERED, answer)))
        elif kind < wire.HELLO:
            raise wire.ProtocolError(f"message of type {kind} from the coordinator")

    def record(self, info, payload):
        if info["lsn"] <= self.lsn:
            raise wire.ProtocolError(f"record {info['lsn']} follows {self.lsn}")
        self.lsn = info["lsn"]
        rpcs = wire.rpcs_of(payload, info["messages"])
        for index, data in enumerate(rpcs):
            (self.runtime.skip if (self.lsn, index) in self.skipped else self.runtime.execute)(data)
            for method, text in self.runtime.faults:
                self.write(wire.message(wire.HANDLER_FAULT, wire.handler_fault(self.lsn, index, method, text)))
            self.runtime.faults.clear()
            self.send_outputs()
        self.write(wire.message(wire.PROGRESS, wire.progress(self.lsn, len(rpcs), True)))
        if len(self.pending) > 1 << 16:
            self.flush()

    def send_outputs(self):
        """In the order in which they were sent; neighbours for one destination share a message."""
        run, run_to = [], None
        for destination, rpc in self.runtime.take_outputs() + [(None, None)]:
            if destination != run_to and run:
                self.write(wire.message(wire.OUTPUTS, wire.output_run(self.index_of(run_to), run)))
                run = []
            run_to = destination
            if rpc is not None:
                run.append(rpc.delivery_form())

    def index_of(self, destination):
        if destination not in self.indexes:
            index = len(self.indexes)
            if index == wire.DESTINATION_INDEXES:
                index = self.indexes.pop(next(iter(self.indexes)))  # The one that was announced longest ago.
            self.indexes[destination] = index
            self.write(wire.message(wire.DESTINATION, wire.destination(self.indexes[destination], destination)))
        return self.indexes[destination]

    def poke(self, rpc):
        self.write(wire.message(wire.IMPULSES, wire.output_run(self.index_of(""), [rpc.delivery_form()])))


class LegacyLink(Link):
    """Section 6."""

    def __init__(self, options):
        super().__init__(options)
        self.output = connect(options, socket.AF_INET, ("127.0.0.1", options.send_port))
        self.input = Stream(connect(options, socket.AF_INET, ("127.0.0.1", options.receive_port)))
        self.runtime = Runtime(options.name)
        self.fresh = True

    def serve(self):
        while True:
            if not self.input.has_bytes():
                self.rest()
            header = wire.parse_record_header(self.input.exactly(24))
            for kind, data in wire.whole_messages(self.input.exactly(header["size"] - 24)):
                self.take(kind, data)

    def take(self, kind, data):
        if kind in (wire.RPC, wire.RPC_BATCH, wire.COUNTED_RPC_BATCH):
            for rpc in wire.rpcs_of(wire.message(kind, data)):
                self.fresh = False
                self.runtime.execute(wire.from_legacy(rpc))
                for destination, sent in self.runtime.take_outputs():
                    self.write(sent.legacy_form(destination, self.runtime.instance))
        elif kind == wire.INITIAL_MESSAGE:
            self.take(*next(wire.whole_messages(data)))
        elif kind == wire.CHECKPOINT:
            self.fresh = False
            self.runtime.load(self.input.exactly(wire.Reader(data).zigzag()))
        elif kind in (wire.TAKE_CHECKPOINT, wire.UPGRADE_TAKE_CHECKPOINT, wire.TAKE_BECOMING_PRIMARY_CHECKPOINT):
            if kind == wire.TAKE_BECOMING_PRIMARY_CHECKPOINT and self.fresh:
                self.write(wire.message(wire.INITIAL_MESSAGE, self.first_message()))
            state = self.runtime.save()
            self.write(wire.message(wire.CHECKPOINT, wire.zigzag(len(state))) + state)
            self.primary |= kind == wire.TAKE_BECOMING_PRIMARY_CHECKPOINT
        elif kind not in (wire.UPGRADE_SERVICE, wire.PING_RETURN):
            raise wire.ProtocolError(f"message of type {kind} from the coordinator")

    def poke(self, rpc):
        self.write(rpc.legacy_form(""))


def connect(options, family, address):
    """Connects to a coordinator that may not be there yet."""
    deadline = time.monotonic() + options.connect_timeout
    while True:
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.connect(address)
            return connection
        except OSError as error:
            connection.close()
            if time.monotonic() > deadline:
                raise LinkClosed(f"no coordinator at {address}: {error}") from None
            time.sleep(0.02)


def token():
    """The secret of the link, if the coordinator wants one: never an argument, which everybody sees."""
    path = os.environ.get("AMBROSIA_TOKEN_FILE")
    if path:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    return os.environ.get("AMBROSIA_TOKEN", "")


def parse_options(arguments):
    parser = argparse.ArgumentParser(description="A foreign binding with a counting immortal in it.")
    parser.add_argument("--mode", choices=("v2", "legacy"), required=True)
    parser.add_argument("--name", default="", help="instance; v2: empty = whatever the coordinator serves")
    parser.add_argument("--socket", help="v2: path of the coordinator's Unix socket")
    parser.add_argument("--send-port", type=int, help="legacy: the coordinator's --receive-port")
    parser.add_argument("--receive-port", type=int, help="legacy: the coordinator's --send-port")
    parser.add_argument("--peer", default="", help="instance to drive from the first start on; empty: drive nobody")
    parser.add_argument("--calls", type=int, default=0, help="calls, and as many forks, to make to the peer")
    parser.add_argument("--pokes", type=int, default=0, help="impulses to send to itself in this life, once primary")
    parser.add_argument("--report", default="", help="file that shows the state, rewritten when it changed")
    parser.add_argument("--connect-timeout", type=float, default=30, help="seconds to wait for the coordinator")
    options = parser.parse_args(arguments)
    if (options.mode == "v2") != bool(options.socket) or (options.mode == "legacy") != bool(options.send_port and options.receive_port and options.name):
        parser.error("v2 wants --socket, legacy wants --name, --send-port and --receive-port")
    return options


def main(arguments):
    options = parse_options(arguments)
    try:
        (Version2Link if options.mode == "v2" else LegacyLink)(options).serve()
        return 0
    except LinkClosed as closed:
        print(f"The coordinator is gone: {closed}", file=sys.stderr)
        return 3
    except wire.Refused as refused:
        print(f"The coordinator refused: {refused}", file=sys.stderr)
        return 4
    except wire.ProtocolError as error:
        print(f"The coordinator broke a rule: {error}", file=sys.stderr)
        return 5


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
