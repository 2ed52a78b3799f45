"""Bytes of docs/internals/protocol.md, sections 2 to 6, and the little of MessagePack that arguments need. Nothing but the standard library."""
import re
import struct

RPC, TAKE_CHECKPOINT, RPC_BATCH, CHECKPOINT, INITIAL_MESSAGE = 0, 2, 5, 8, 9
UPGRADE_TAKE_CHECKPOINT, TAKE_BECOMING_PRIMARY_CHECKPOINT, UPGRADE_SERVICE = 10, 11, 12
PING_RETURN = 7
COUNTED_RPC_BATCH, BECOMING_PRIMARY = 13, 15
HELLO, WELCOME, REFUSED, RECORD_INFO, OUTPUTS, DESTINATION, PROGRESS, HANDLER_FAULT = range(64, 72)
DESTINATION_INDEXES = 65536  # that a connection has at a time
STATE_REQUEST, STATE_REPLY, QUERY, QUERY_REPLY, IMPULSES, DRAIN, GOODBYE, HEARTBEAT, SKIP = range(72, 81)

CALL, VALUE, VOID, EXCEPTION = range(4)
ASYNC, FORK, IMPULSE = range(3)
FIRST_START, TIMER_FIRE = -1, -2
ANSWERED = 0  # and 1: no such query; 2: it failed

NAME = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._-]{0,62}\Z")
MAX_STRING = 1024
MAX_MESSAGE = 64 << 20


class ProtocolError(Exception):
    """The other side broke a rule of the protocol."""


class Refused(Exception):
    """The coordinator does not serve this app."""


# ---- numbers and strings (section 2)

def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def string(text):
    utf8 = text.encode()
    return varint(len(utf8)) + utf8


def parse_varint(data, offset):
    """Value and offset behind it; None in place of the value if more bytes are needed."""
    value = 0
    for i in range(10):
        if offset + i == len(data):
            return None, offset
        byte = data[offset + i]
        value |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            if value >> 64:
                break
            return value, offset + i + 1
    raise ProtocolError("number above 64 bits")


def unzigzag(value):
    return (value >> 1) ^ -(value & 1)


class Reader:
    """Takes the fields of a complete message; whatever is missing or too much is an error."""

    def __init__(self, data):
        self.data, self.offset = bytes(data), 0

    def varint(self, limit=2**64 - 1):
        value, offset = parse_varint(self.data, self.offset)
        if value is None or value > limit:
            raise ProtocolError("number cut or above its limit")
        self.offset = offset
        return value

    def zigzag(self, bits=64):
        value = unzigzag(self.varint())
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            raise ProtocolError(f"number above {bits} bits")
        return value

    def bytes(self, count):
        if not 0 <= count <= len(self.data) - self.offset:
            raise ProtocolError(f"{count} bytes wanted, {len(self.data) - self.offset} left")
        self.offset += count
        return self.data[self.offset - count:self.offset]

    def byte(self):
        return self.bytes(1)[0]

    def fixed(self, form):
        return struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))[0]

    def string(self, limit=MAX_STRING):
        try:
            return self.bytes(self.varint(limit)).decode()
        except UnicodeDecodeError:
            raise ProtocolError("not UTF-8") from None

    def rest(self):
        return self.bytes(len(self.data) - self.offset)

    def end(self):
        if self.offset != len(self.data):
            raise ProtocolError("bytes too many")


def name(utf8):
    if not NAME.match(utf8):
        raise ProtocolError("not an instance name")
    return utf8.decode()


# ---- messages (section 3)

def message(kind, data=b""):
    return zigzag(1 + len(data)) + bytes([kind]) + data


def parse_message(data, offset, limit=MAX_MESSAGE):
    """(type, data, offset behind it), or None if more bytes are needed."""
    size, start = parse_varint(data, offset)
    if size is None:
        return None
    size = unzigzag(size)
    if not 1 <= size <= limit:
        raise ProtocolError(f"message of {size} bytes")
    if len(data) - start < size:
        return None
    return data[start], bytes(data[start + 1:start + size]), start + size


def whole_messages(data):
    """All messages of a run that must fill its bytes exactly."""
    offset = 0
    while offset < len(data):
        found = parse_message(data, offset)
        if found is None:
            raise ProtocolError("message cut")
        kind, body, offset = found
        yield kind, body


# ---- remote procedure calls (section 4)

class Rpc:
    def __init__(self, form, method, kind, caller="", call=0, body=b""):
        self.form, self.method, self.kind, self.caller, self.call, self.body = form, method, kind, caller, call, body

    @staticmethod
    def parse(data):
        reader = Reader(data)
        form = reader.byte()
        method = reader.zigzag(32)
        kind = reader.byte()
        if form > EXCEPTION or (kind > IMPULSE if form == CALL else kind != FORK):
            raise ProtocolError(f"rpc of form {form} and kind {kind}")
        caller, call = "", 0
        if form == CALL and kind == ASYNC:
            caller = name(reader.bytes(reader.zigzag()))
        if form != CALL or kind == ASYNC:
            call = reader.zigzag()
        return Rpc(form, method, kind, caller, call, reader.rest())

    def data(self):
        head = bytes([self.form]) + zigzag(self.method) + bytes([self.kind])
        if self.form == CALL and self.kind == ASYNC:
            utf8 = self.caller.encode()
            head += zigzag(len(utf8)) + utf8
        if self.form != CALL or self.kind == ASYNC:
            head += zigzag(self.call)
        return head + self.body

    def delivery_form(self):
        return message(RPC, self.data())

    def legacy_form(self, destination, replier=""):
        """With the destination in front; a reply names who replies instead of the method."""
        utf8 = destination.encode()
        data = self.data()
        if self.form != CALL:
            name_of_replier = replier.encode()
            data = bytes([self.form]) + zigzag(len(name_of_replier)) + name_of_replier + zigzag(self.call) + self.body
        return message(RPC, zigzag(len(utf8)) + utf8 + data)


def from_legacy(data):
    """The data of an RPC of the legacy pair in delivery form: only replies differ."""
    if data[0] == CALL:
        return data
    reply = legacy_reply(data)
    return Rpc(reply["form"], 0, FORK, call=reply["call"], body=reply["value"]).data()


def legacy_reply(data):
    reader = Reader(data)
    form = reader.byte()
    if not VALUE <= form <= EXCEPTION:
        raise ProtocolError(f"reply of form {form}")
    length = reader.zigzag()
    if not 0 <= length <= 63:
        raise ProtocolError("replier's name of that length")
    sender = name(reader.bytes(length)) if length else ""
    return {"form": form, "sender": sender, "call": reader.zigzag(), "value": reader.rest()}


def rpcs_of(payload, announced=None):
    """The data of each RPC of a record's payload: single messages and batches, never nested."""
    found = []
    for kind, data in whole_messages(payload):
        if kind == RPC:
            found.append(data)
        elif kind in (RPC_BATCH, COUNTED_RPC_BATCH):
            reader = Reader(data)
            count = reader.zigzag()
            if kind == COUNTED_RPC_BATCH:
                reader.zigzag()
            inner = list(whole_messages(reader.rest()))
            if len(inner) != count or any(k != RPC for k, _ in inner):
                raise ProtocolError("batch does not hold what it announces")
            found += [d for _, d in inner]
        else:
            raise ProtocolError(f"message of type {kind} inside a record")
    if announced is not None and announced != len(found):
        raise ProtocolError(f"{announced} messages announced, {len(found)} found")
    return found


# ---- version 2 (section 5)

def hello(incarnation, binding, instance="", token="", app_version="1", interface_hash="", fingerprint="", versions=(2, 2), features=0):
    fixed = b"AMB2" + varint(versions[0]) + varint(versions[1]) + struct.pack("<Q", features) + incarnation
    return fixed + b"".join(map(string, (binding, app_version, interface_hash, fingerprint, instance, token)))


def parse_welcome(data):
    reader = Reader(data)
    welcome = {"version": reader.varint(), "features": reader.fixed("Q"), "mode": reader.byte(), "epoch": reader.varint(),
               "instanceId": reader.bytes(16), "instance": name(reader.bytes(reader.varint(63))),
               "maxMessageBytes": reader.varint(2**63 - 1), "maxTurnBytes": reader.varint(2**63 - 1)}
    reader.end()
    if welcome["mode"] > 5:
        raise ProtocolError("unknown mode")
    return welcome


def parse_refused(data):
    reader = Reader(data)
    refused = {"code": reader.string(16), "reason": reader.string()}
    reader.end()
    return refused


def parse_query(data):
    """A question's id, and the call in it."""
    reader = Reader(data)
    query, call = reader.varint(), reader.rest()
    found = parse_message(call, 0)
    if found is None or found[0] != RPC or found[2] != len(call):
        raise ProtocolError("a query holds one call")
    return {"id": query, "rpc": found[1]}


def query_reply(query, status, body=b""):
    return varint(query) + bytes([status]) + body


def parse_record_info(data):
    reader = Reader(data)
    info = {"lsn": reader.fixed("Q"), "epoch": reader.fixed("Q"), "timestamp": reader.fixed("q"),
            "messages": reader.varint(2**31 - 1), "payload": reader.varint(2**31 - 1), "flags": reader.byte()}
    reader.end()
    return info


def progress(lsn, done, complete):
    return varint(lsn) + varint(done) + bytes([1 if complete else 0])


def output_run(index, rpcs):
    return varint(index) + varint(len(rpcs)) + b"".join(rpcs)


def destination(index, instance):
    return varint(index) + string(instance)


def handler_fault(lsn, index, method, text):
    return varint(lsn) + varint(index) + zigzag(method) + string(text[:250])


# ---- the legacy pair (section 6)

def parse_record_header(data):
    committer, size, check, record = struct.unpack("<iiqq", data)
    if size < 24:
        raise ProtocolError(f"record of {size} bytes")
    return {"committer": committer, "size": size, "check": check, "id": record}


# ---- MessagePack: nil, booleans, integers, floats, strings, binary, arrays, maps

def pack(value):
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        if -32 <= value < 128:
            return struct.pack("b", value) if value < 0 else bytes([value])
        for code, form in ((0xCC, "B"), (0xCD, "H"), (0xCE, "I"), (0xCF, "Q")) if value > 0 else ((0xD0, "b"), (0xD1, "h"), (0xD2, "i"), (0xD3, "q")):
            bits = 8 * struct.calcsize(form)
            if value < 1 << (bits if value > 0 else bits - 1) and value >= -(1 << (bits - 1)):
                return bytes([code]) + struct.pack(">" + form, value)
        raise OverflowError(value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        utf8 = value.encode()
        return _head(len(utf8), 0xA0, 32, 0xD9, 0xDA, 0xDB) + utf8
    if isinstance(value, bytes):
        return _head(len(value), 0, 0, 0xC4, 0xC5, 0xC6) + value
    if isinstance(value, (list, tuple)):
        return _head(len(value), 0x90, 16, None, 0xDC, 0xDD) + b"".join(map(pack, value))
    if isinstance(value, dict):
        return _head(len(value), 0x80, 16, None, 0xDE, 0xDF) + b"".join(pack(k) + pack(v) for k, v in value.items())
    raise TypeError(type(value))


def _head(size, fix, fix_limit, code8, code16, code32):
    if size < fix_limit:
        return bytes([fix | size])
    if code8 is not None and size < 1 << 8:
        return bytes([code8, size])
    return bytes([code16]) + struct.pack(">H", size) if size < 1 << 16 else bytes([code32]) + struct.pack(">I", size)


def unpack(data):
    """The first value; what follows it is ignored, as docs/internals/protocol.md 4.2 asks of arguments."""
    return _unpack(Reader(data), 0)


_NUMBERS = {0xCA: "f", 0xCB: "d", 0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q", 0xD0: "b", 0xD1: "h", 0xD2: "i", 0xD3: "q"}
_SIZED = {0xC4: ("bin", "B"), 0xC5: ("bin", "H"), 0xC6: ("bin", "I"), 0xD9: ("str", "B"), 0xDA: ("str", "H"), 0xDB: ("str", "I"),
          0xDC: ("array", "H"), 0xDD: ("array", "I"), 0xDE: ("map", "H"), 0xDF: ("map", "I")}


def _unpack(reader, depth):
    def big(form):
        return struct.unpack(">" + form, reader.bytes(struct.calcsize(form)))[0]

    if depth > 64:
        raise ProtocolError("MessagePack nested too deeply")
    code = reader.byte()
    if code < 0x80:
        return code
    if code >= 0xE0:
        return code - 256
    if code in _NUMBERS:
        return big(_NUMBERS[code])
    if 0xC0 <= code <= 0xC3 and code != 0xC1:
        return {0xC0: None, 0xC2: False, 0xC3: True}[code]
    if code < 0xC0:
        kind, size = ("map", code & 15) if code < 0x90 else ("array", code & 15) if code < 0xA0 else ("str", code & 31)
    elif code in _SIZED:
        kind, form = _SIZED[code]
        size = big(form)
    else:
        raise ProtocolError(f"MessagePack code {code:#x} is not spoken here")
    if kind == "bin":
        return reader.bytes(size)
    if kind == "str":
        try:
            return reader.bytes(size).decode()
        except UnicodeDecodeError:
            raise ProtocolError("MessagePack string is not UTF-8") from None
    if size > len(reader.data) - reader.offset:
        raise ProtocolError("MessagePack count beyond what is there")
    if kind == "array":
        return [_unpack(reader, depth + 1) for _ in range(size)]
    return {_unpack(reader, depth + 1): _unpack(reader, depth + 1) for _ in range(size)}
