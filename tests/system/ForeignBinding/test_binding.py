"""Tests of the foreign binding: the byte vectors, and whole lives against a scripted coordinator. Run: python3 -m unittest -v test_binding"""
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

import wire
from counter import ADD, FAIL, NOTE, PADDING, POKE, RELAY, STEP

HERE = pathlib.Path(__file__).parent
VECTORS = HERE.parent.parent / "support" / "vectors"
DEADLINE = 20


def decode_rpc(data):
    rpc = wire.Rpc.parse(data)
    return {"form": rpc.form, "method": rpc.method, "kind": rpc.kind, "caller": rpc.caller, "call": str(rpc.call), "body": rpc.body.hex()}, rpc.data()


def decode_one(read, encode):
    def decode(data):
        reader = wire.Reader(data)
        value = read(reader)
        reader.end()
        return {"value": value if isinstance(value, str) else str(value)}, encode(value)
    return decode


def decode_message(data):
    found = wire.parse_message(data, 0)
    if found is None or found[2] != len(data):
        raise wire.ProtocolError("not one whole message")
    return {"type": found[0], "data": found[1].hex()}, wire.message(found[0], found[1])


def decode_payload(data):
    reader = wire.Reader(data)
    announced = reader.varint()
    return {"rpcs": [rpc.hex() for rpc in wire.rpcs_of(reader.rest(), announced)]}, None


def decode_fields(parse, *numbers):
    def decode(data):
        fields = parse(data)
        return {k: v.hex() if isinstance(v, bytes) else str(v) if k in numbers else v for k, v in fields.items()}, None
    return decode


def decode_name(data):
    return {"value": wire.name(data)}, None


def decode_record_header(data):
    return decode_fields(wire.parse_record_header, "check", "id")(data)


def decode_legacy_reply(data):
    reply = wire.legacy_reply(data)
    fields = {"form": reply["form"], "sender": reply["sender"], "call": str(reply["call"]), "value": reply["value"].hex()}
    message = wire.Rpc.parse(wire.from_legacy(data)).legacy_form("", reply["sender"])
    return fields, wire.parse_message(message, 0)[1][1:]  # Behind the destination, which is empty.


DECODERS = {
    "varint": decode_one(wire.Reader.varint, wire.varint),
    "zigzag": decode_one(wire.Reader.zigzag, wire.zigzag),
    "string": decode_one(wire.Reader.string, wire.string),
    "name": decode_name,
    "rpc": decode_rpc,
    "message": decode_message,
    "payload": decode_payload,
    "welcome": decode_fields(wire.parse_welcome, "version", "features", "epoch", "maxMessageBytes", "maxTurnBytes"),
    "refused": decode_fields(wire.parse_refused),
    "record-info": decode_fields(wire.parse_record_info, "lsn", "epoch", "timestamp"),
    "record-header": decode_record_header,
    "legacy-reply": decode_legacy_reply,
    "query": decode_fields(wire.parse_query, "id"),
}

ENCODERS = {
    "binding-hello": lambda f: wire.hello(bytes.fromhex(f["incarnation"]), f["binding"], f["instance"], f["token"], f["appVersion"], f["interfaceHash"],
                                          f["buildFingerprint"], (int(f["minVersion"]), int(f["maxVersion"])), int(f["features"])),
    "progress": lambda f: wire.progress(int(f["lsn"]), f["done"], f["complete"]),
    "query-reply": lambda f: wire.query_reply(int(f["id"]), f["status"], bytes.fromhex(f["bytes"])),
    "destination": lambda f: wire.destination(int(f["index"]), f["destination"]),
    "handler-fault": lambda f: wire.handler_fault(int(f["lsn"]), int(f["index"]), f["method"], f["text"]),
}


class Vectors(unittest.TestCase):
    def setUp(self):
        self.vectors = [v for file in sorted(VECTORS.glob("*.json")) for v in json.loads(file.read_text("utf-8"))]
        self.assertGreater(len(self.vectors), 200)

    def test_valid_bytes_decode_to_the_fields_and_back(self):
        seen = set()
        for vector in self.vectors:
            if "fields" in vector and vector["structure"] in DECODERS:
                with self.subTest(vector["name"]):
                    data = bytes.fromhex(vector["hex"])
                    fields, encoded = DECODERS[vector["structure"]](data)
                    self.assertEqual(vector["fields"], fields)
                    if encoded is not None and vector.get("canonical", True):
                        self.assertEqual(data.hex(), encoded.hex())
                seen.add(vector["structure"])
        self.assertEqual(set(DECODERS), seen)

    def test_invalid_bytes_are_refused(self):
        for vector in self.vectors:
            if "invalid" in vector and vector["structure"] in DECODERS:
                with self.subTest(vector["name"], why=vector["invalid"]):
                    self.assertRaises(wire.ProtocolError, DECODERS[vector["structure"]], bytes.fromhex(vector["hex"]))

    def test_fields_encode_to_the_bytes(self):
        seen = set()
        for vector in self.vectors:
            if "fields" in vector and vector["structure"] in ENCODERS:
                with self.subTest(vector["name"]):
                    self.assertEqual(vector["hex"], ENCODERS[vector["structure"]](vector["fields"]).hex())
                seen.add(vector["structure"])
        self.assertEqual(set(ENCODERS), seen)

    def test_calls_outputs_and_outgoing_calls_of_the_worked_example(self):
        call = wire.Rpc(wire.CALL, 7, wire.ASYNC, "teller", 1, wire.pack(["alice", 5]))
        self.assertEqual("280000 0e 00 0c74656c6c6572 02 92a5616c69636505".replace(" ", ""), call.delivery_form().hex())
        found = {v["name"]: v for v in self.vectors}
        self.assertEqual(found["outputs of the worked example"]["hex"], wire.output_run(1, [call.delivery_form()]).hex())
        self.assertEqual(wire.message(wire.RPC, bytes.fromhex(found["outgoing call"]["hex"])), call.legacy_form("bank"))

    def test_truncated_and_random_bytes_only_ever_raise_protocol_errors(self):
        chance = random.Random(1)
        for vector in self.vectors:
            decode = DECODERS.get(vector["structure"])
            data = bytes.fromhex(vector["hex"])
            if decode is None or vector["structure"] == "record-header" or len(data) > 300:
                continue
            damaged = [data[:n] for n in range(len(data))]
            damaged += [bytes(b ^ (1 << chance.randrange(8)) if chance.random() < 0.1 else b for b in data) for _ in range(30)]
            for bad in damaged:
                try:
                    decode(bad)
                except wire.ProtocolError:
                    pass


class MessagePack(unittest.TestCase):
    def test_values_come_back(self):
        for value in (None, True, False, 0, 1, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**64 - 1, -1, -32, -33, -128, -129, -32768, -32769,
                      -2**31, -2**31 - 1, -2**63, 1.5, "", "a" * 31, "a" * 32, "a" * 256, "a" * 70000, b"x" * 300, [], [1] * 16, [[[]]], {"a": 1}, {"k%d" % i: i for i in range(20)}):
            self.assertEqual(value, wire.unpack(wire.pack(value)))

    def test_bytes_are_the_shortest_of_the_format(self):
        for value, expected in ((5, "05"), (128, "cc80"), (300, "cd012c"), (-1, "ff"), (-33, "d0df"), (2**31, "ce80000000"), ("alice", "a5616c696365"), (["alice", 5], "92a5616c69636505"), (None, "c0")):
            self.assertEqual(expected, wire.pack(value).hex())

    def test_what_follows_the_arguments_is_ignored(self):
        self.assertEqual([1], wire.unpack(wire.pack([1]) + bytes(16)))

    def test_hostile_bytes_are_refused(self):
        for text in ("", "92", "ddffffffff", "dfffffffff", "dbffffffff61", "c1", "91" * 70 + "00", "a2c0af"):
            self.assertRaises(wire.ProtocolError, wire.unpack, bytes.fromhex(text))


class Scripted(unittest.TestCase):
    """A coordinator that does what the test says, against the binding as a process of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.process = None
        self.addCleanup(self.kill)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stderr.close()
            self.process = None

    def start(self, *arguments):
        self.process = subprocess.Popen([sys.executable, str(HERE / "binding.py"), *arguments], stderr=subprocess.PIPE)

    def exit_code(self):
        return self.process.wait(DEADLINE)

    def receive(self):
        """The next message of the binding; raw bytes of a checkpoint are read along."""
        while (found := wire.parse_message(self.buffer, 0)) is None:
            more = self.source.recv(1 << 16)
            self.assertTrue(more, "the binding closed the connection")
            self.buffer += more
        kind, data, used = found
        del self.buffer[:used]
        if kind != wire.CHECKPOINT:
            return kind, data
        size = wire.Reader(data).zigzag()
        while len(self.buffer) < size:
            self.buffer += self.source.recv(1 << 16)
        state = bytes(self.buffer[:size])
        del self.buffer[:size]
        return kind, state

    def expect(self, kind):
        found, data = self.receive()
        self.assertEqual(kind, found, data)
        return data


def call(method, caller, number, *arguments):
    return wire.Rpc(wire.CALL, method, wire.ASYNC, caller, number, wire.pack(list(arguments))).delivery_form()


def fork(method, *arguments):
    return wire.Rpc(wire.CALL, method, wire.FORK, body=wire.pack(list(arguments))).delivery_form()


def reply(method, number, value):
    return wire.Rpc(wire.VALUE, method, wire.FORK, call=number, body=wire.pack(value)).delivery_form()


def batch(*messages):
    return wire.message(wire.COUNTED_RPC_BATCH, wire.zigzag(len(messages)) + wire.zigzag(len(messages)) + b"".join(messages))


class Version2(Scripted):
    def attach(self, mode, *arguments):
        path = os.path.join(self.folder.name, "s")
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        if os.path.exists(path):
            os.unlink(path)
        listener.bind(path)
        listener.listen()
        listener.settimeout(DEADLINE)
        self.start("--mode", "v2", "--socket", path, "--name", "counter", *arguments)
        self.source = self.target = listener.accept()[0]
        self.source.settimeout(DEADLINE)
        self.addCleanup(self.source.close)
        self.buffer, self.names, self.lsn = bytearray(), {}, 0
        hello = wire.Reader(self.expect(wire.HELLO))
        self.assertEqual(b"AMB2", hello.bytes(4))
        self.assertEqual((2, 2), (hello.varint(), hello.varint()))
        self.welcome(mode)

    def welcome(self, mode):
        self.send(wire.WELCOME, wire.varint(2) + bytes(8) + bytes([mode]) + wire.varint(1) + bytes(16) + wire.string("counter") + wire.varint(1 << 20) + wire.varint(1 << 22))

    def send(self, kind, data=b"", raw=b""):
        self.target.sendall(wire.message(kind, data) + raw)

    def record(self, payload, count, replay=False, lsn=None):
        self.lsn = lsn or self.lsn + 1
        info = struct.pack("<QQq", self.lsn, 1, 0) + wire.varint(count) + wire.varint(len(payload)) + bytes([replay])
        self.send(wire.RECORD_INFO, info, payload)

    def outputs(self):
        """Everything up to the next Progress: [(destination, rpc)], and what the Progress says."""
        found = []
        while True:
            kind, data = self.receive()
            reader = wire.Reader(data)
            if kind == wire.DESTINATION:
                index = reader.varint()
                self.names[index] = reader.string()
            elif kind == wire.OUTPUTS:
                destination, count = self.names[reader.varint()], reader.varint()
                rpcs = [wire.Rpc.parse(d) for _, d in wire.whole_messages(reader.rest())]
                self.assertEqual(count, len(rpcs))
                found += [(destination, rpc) for rpc in rpcs]
            elif kind == wire.PROGRESS:
                return found, (reader.varint(), reader.varint(), reader.byte())
            else:
                self.fail(f"message of type {kind} among outputs")

    def first_start(self, *arguments):
        self.attach(0, *arguments)
        self.send(wire.TAKE_BECOMING_PRIMARY_CHECKPOINT)
        initial = self.expect(wire.INITIAL_MESSAGE)
        state = self.expect(wire.CHECKPOINT)
        self.send(wire.BECOMING_PRIMARY)
        self.expect(wire.BECOMING_PRIMARY)
        self.record(initial, 1)
        return state

    def recover(self, state, *arguments):
        self.kill()
        self.attach(1, *arguments)
        self.send(wire.CHECKPOINT, wire.zigzag(len(state)), state)

    def test_first_start_calls_and_replies(self):
        self.first_start()
        self.assertEqual(([], (1, 1, 1)), self.outputs())
        self.record(call(ADD, "teller", 9, 5) + batch(fork(NOTE, 1), call(ADD, "teller", 10, 7)), 3)
        sent, progress = self.outputs()
        self.assertEqual((2, 3, 1), progress)
        self.assertEqual([("teller", 9, 5), ("teller", 10, 12)], [(d, r.call, wire.unpack(r.body)) for d, r in sent])
        self.assertTrue(all((r.form, r.kind, r.method) == (wire.VALUE, wire.FORK, ADD) for _, r in sent))

    def test_the_first_start_drives_a_peer_and_each_reply_brings_the_next_call(self):
        self.first_start("--peer", "bank", "--calls", "40")
        sent, _ = self.outputs()
        self.assertEqual([("bank", NOTE), ("bank", ADD)] * 16, [(d, r.method) for d, r in sent])
        self.assertEqual(list(range(1, 17)), [r.call for _, r in sent if r.kind == wire.ASYNC])
        self.record(reply(ADD, 1, 1), 1)
        sent, _ = self.outputs()
        self.assertEqual([("", STEP, [1, PADDING]), ("bank", NOTE, [17]), ("bank", ADD, [1])], [(d, r.method, wire.unpack(r.body)) for d, r in sent])

    def test_checkpoint_kill_and_recovery_regenerate_the_same_outputs(self):
        self.first_start("--peer", "bank", "--calls", "40")
        self.outputs()
        self.record(reply(ADD, 1, 1), 1)
        self.outputs()
        self.send(wire.TAKE_CHECKPOINT)
        state = self.expect(wire.CHECKPOINT)
        self.record(reply(ADD, 2, 2) + reply(ADD, 3, 3), 2)
        before = [(d, r.data()) for d, r in self.outputs()[0]]
        self.recover(state)
        self.record(reply(ADD, 2, 2) + reply(ADD, 3, 3), 2, replay=True, lsn=3)
        self.assertEqual(before, [(d, r.data()) for d, r in self.outputs()[0]])
        self.send(wire.BECOMING_PRIMARY)
        self.expect(wire.BECOMING_PRIMARY)

    def test_an_await_survives_the_kill(self):
        self.first_start()
        self.outputs()
        self.record(call(RELAY, "teller", 77, "bank", 3), 1)
        sent, _ = self.outputs()
        self.assertEqual([("bank", ADD)], [(d, r.method) for d, r in sent])
        self.send(wire.TAKE_CHECKPOINT)
        self.recover(self.expect(wire.CHECKPOINT))
        self.send(wire.BECOMING_PRIMARY)
        self.expect(wire.BECOMING_PRIMARY)
        self.record(reply(ADD, sent[0][1].call, 103), 1, lsn=3)
        answered, _ = self.outputs()
        self.assertEqual([("teller", RELAY, 77, 103)], [(d, r.method, r.call, wire.unpack(r.body)) for d, r in answered])

    def test_no_impulse_before_becoming_primary_and_then_each_once(self):
        state = self.first_start()
        self.recover(state, "--pokes", "2")
        self.record(fork(NOTE, 1), 1, replay=True)
        self.assertEqual(([], (1, 1, 1)), self.outputs())
        self.send(wire.BECOMING_PRIMARY)
        self.expect(wire.BECOMING_PRIMARY)
        reader = wire.Reader(self.expect(wire.DESTINATION))
        self.assertEqual((0, ""), (reader.varint(), reader.string()))
        poked = [wire.Reader(self.expect(wire.IMPULSES)).data for _ in range(2)]
        self.assertEqual(2, len(set(poked)))
        self.record(b"".join(p[2:] for p in poked), 2)
        self.assertEqual(([], (2, 2, 1)), self.outputs())
        self.send(wire.STATE_REQUEST, wire.varint(300))
        answer = wire.Reader(self.expect(wire.STATE_REPLY))
        self.assertEqual(300, answer.varint())
        seen = json.loads(answer.rest())
        self.assertEqual((2, 0, 1, 0), (seen["pokes"], seen["doublePokes"], seen["notes"], seen["disorder"]))

    def test_failures_go_to_the_caller_or_are_reported(self):
        self.first_start()
        self.outputs()
        self.record(call(FAIL, "teller", 1), 1)
        sent, _ = self.outputs()
        self.assertEqual((wire.EXCEPTION, 1, ["ValueError", "this method always fails", "", None]), (sent[0][1].form, sent[0][1].call, wire.unpack(sent[0][1].body)))
        self.record(fork(FAIL), 1)
        fault = wire.Reader(self.expect(wire.HANDLER_FAULT))
        self.assertEqual((3, 0, FAIL, "ValueError: this method always fails"), (fault.varint(), fault.varint(), fault.zigzag(), fault.string()))
        self.assertEqual(([], (3, 1, 1)), self.outputs())

    def test_a_quarantined_message_is_answered_and_not_executed(self):
        self.first_start()
        self.outputs()
        self.send(wire.SKIP, wire.varint(2) + wire.varint(1))
        self.record(batch(call(ADD, "teller", 1, 5), call(ADD, "teller", 2, 100), call(ADD, "teller", 3, 1)), 3)
        sent, _ = self.outputs()
        self.assertEqual([wire.VALUE, wire.EXCEPTION, wire.VALUE], [r.form for _, r in sent])
        self.assertEqual(6, wire.unpack(sent[2][1].body))

    def test_heartbeats_unknown_types_and_drain(self):
        self.first_start()
        self.outputs()
        self.send(200, b"from a later version")
        self.send(wire.HEARTBEAT)
        self.expect(wire.HEARTBEAT)
        self.send(wire.DRAIN, wire.string("upgrade"))
        self.expect(wire.GOODBYE)
        self.assertEqual(0, self.exit_code())

    def test_rules_that_the_coordinator_breaks_are_noticed(self):
        for payload, count in ((fork(NOTE, 1), 2), (fork(NOTE, 1)[:-1], 1), (wire.message(wire.CHECKPOINT, b"\x00"), 0)):
            with self.subTest(payload=payload.hex()):
                self.first_start()
                self.outputs()
                self.record(payload, count)
                self.assertEqual(5, self.exit_code())
                self.kill()

    def test_the_end_of_the_coordinator_is_noticed(self):
        self.first_start()
        self.source.close()
        self.assertEqual(3, self.exit_code())

    def test_a_refusal_is_told(self):
        self.welcome = lambda mode: self.send(wire.REFUSED, wire.string("IC-1034") + wire.string("the app is 'counter', this coordinator serves 'bank'"))
        self.attach(1)
        self.assertEqual(4, self.exit_code())
        self.assertIn(b"serves 'bank'", self.process.stderr.read())

    def test_a_stream_cut_into_single_bytes_means_the_same(self):
        self.first_start()
        self.outputs()
        record = call(ADD, "teller", 1, 5) + fork(NOTE, 1)
        info = struct.pack("<QQq", 2, 1, 0) + wire.varint(2) + wire.varint(len(record)) + b"\x00"
        for byte in wire.message(wire.RECORD_INFO, info) + record:
            self.target.sendall(bytes([byte]))
        self.assertEqual([("teller", 5)], [(d, wire.unpack(r.body)) for d, r in self.outputs()[0]])


class Legacy(Scripted):
    def attach(self, *arguments):
        self.kill()
        receive, send = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0))
        for listener in (receive, send):
            self.addCleanup(listener.close)
            listener.settimeout(DEADLINE)
        self.start("--mode", "legacy", "--name", "counter", "--send-port", str(receive.getsockname()[1]), "--receive-port", str(send.getsockname()[1]), *arguments)
        self.source, self.target = receive.accept()[0], send.accept()[0]
        for connection in (self.source, self.target):
            connection.settimeout(DEADLINE)
            self.addCleanup(connection.close)
        self.buffer = bytearray()

    def send(self, record, messages, raw=b""):
        self.target.sendall(struct.pack("<iiqq", 1, 24 + len(messages), 0, record) + messages + raw)

    def outgoing(self):
        reader = wire.Reader(self.expect(wire.RPC))
        destination = reader.bytes(reader.zigzag()).decode()
        return destination, wire.Rpc.parse(wire.from_legacy(reader.rest()))

    def first_start(self, *arguments):
        self.attach(*arguments)
        self.send(-1, wire.message(wire.TAKE_BECOMING_PRIMARY_CHECKPOINT))
        initial = self.expect(wire.INITIAL_MESSAGE)
        state = self.expect(wire.CHECKPOINT)
        self.send(1, wire.message(wire.INITIAL_MESSAGE, initial))
        return state

    def recover(self, state, *records):
        self.attach()
        self.send(-2, wire.message(wire.CHECKPOINT, wire.zigzag(len(state))), state)
        for number, messages in records:
            self.send(number, messages)
        self.send(-1, wire.message(wire.TAKE_BECOMING_PRIMARY_CHECKPOINT))

    def test_first_start_calls_and_replies(self):
        self.first_start()
        self.send(2, call(ADD, "teller", 9, 5) + wire.message(wire.RPC_BATCH, wire.zigzag(2) + call(ADD, "teller", 10, 7) + fork(NOTE, 1)))
        self.assertEqual([("teller", 9, 5), ("teller", 10, 12)], [(d, r.call, wire.unpack(r.body)) for d, r in (self.outgoing(), self.outgoing())])

    def test_checkpoint_kill_and_recovery_regenerate_the_same_outputs(self):
        self.first_start("--peer", "bank", "--calls", "40")
        first = [self.outgoing() for _ in range(32)]
        self.assertEqual({"bank"}, {d for d, _ in first})
        self.send(-1, wire.message(wire.TAKE_CHECKPOINT))
        state = self.expect(wire.CHECKPOINT)
        replies = batch(*(wire.message(wire.RPC, bytes([wire.VALUE]) + wire.zigzag(4) + b"bank" + wire.zigzag(n) + wire.pack(n)) for n in (1, 2)))
        self.send(2, replies)
        before = [r.data() for _, r in (self.outgoing() for _ in range(6))]
        self.recover(state, (2, replies))
        self.assertEqual(before, [r.data() for _, r in (self.outgoing() for _ in range(6))])
        recovered = json.loads(self.expect(wire.CHECKPOINT))
        self.assertEqual((18, 2), (recovered["app"]["sent"], recovered["app"]["replies"]))

    def test_impulses_begin_with_the_checkpoint_of_the_primary(self):
        self.first_start("--pokes", "1")
        destination, rpc = self.outgoing()
        self.assertEqual(("", POKE, wire.IMPULSE), (destination, rpc.method, rpc.kind))

    def test_the_end_of_the_coordinator_is_noticed(self):
        self.first_start()
        self.target.close()
        self.source.close()
        self.assertEqual(3, self.exit_code())

    def test_it_can_be_killed_at_any_instant(self):
        self.first_start()
        self.process.send_signal(signal.SIGKILL)
        self.assertEqual(-signal.SIGKILL, self.exit_code())


if __name__ == "__main__":
    unittest.main()
