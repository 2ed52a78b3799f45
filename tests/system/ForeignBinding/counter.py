"""A small immortal. It counts its callers; asked to, it drives another one with calls and forks. All of its state is one dict of JSON."""
from wire import VALUE

ADD, NOTE, FAIL, DRIVE, POKE, RELAY, STEP, RESULT = range(1, 9)
WINDOW = 16
PADDING = "." * 60  # so that a test's log grows


class Later:
    """A handler returns this when it will answer its caller itself, at some later message."""


class Counter:
    def __init__(self, runtime):
        self.runtime = runtime
        self.state = {"total": 0, "notes": 0, "disorder": 0, "pokes": 0, "doublePokes": 0, "seen": [], "faults": 0, "relays": 0, "steps": 0, "result": None,
                      "peer": "", "calls": 0, "sent": 0, "replies": 0, "lastValue": 0, "badReplies": 0}

    def first_start(self, arguments):
        if arguments[0]:
            self.drive(*arguments)

    def handle(self, rpc, arguments):
        """One call. The result is what an async caller gets."""
        state = self.state
        if rpc.method == ADD:
            state["total"] += arguments[0]
            return state["total"]
        if rpc.method == NOTE:
            # Forks of one sender carry 1, 2, 3, ...: any gap, repeat or swap shows.
            state["disorder"] += arguments[0] != state["notes"] + 1
            state["notes"] += 1
            return None
        if rpc.method == STEP:
            state["disorder"] += arguments[0] != state["steps"] + 1
            state["steps"] += 1
            return None
        if rpc.method == POKE:
            state["doublePokes"] += arguments[0] in state["seen"]
            state["seen"].append(arguments[0])
            state["pokes"] += 1
            return None
        if rpc.method == RESULT:
            state["result"] = arguments
            return None
        if rpc.method == DRIVE:
            return self.drive(*arguments)
        if rpc.method == RELAY:
            # Awaits another immortal: the reply of this call comes when that one's has come, whatever was killed in between.
            self.runtime.send_async(arguments[0], ADD, [arguments[1]], ["relayed", rpc.caller, rpc.call, rpc.method])
            return Later
        raise ValueError("this method always fails" if rpc.method == FAIL else f"no method {rpc.method}")

    def drive(self, peer, calls):
        self.state.update(peer=peer, calls=calls, sent=0, replies=0)
        for _ in range(min(WINDOW, calls)):
            self.send_next()

    def replied(self, tag, form, value):
        """A reply to one of the calls made with send_async."""
        state = self.state
        if tag[0] == "relayed":
            state["relays"] += 1
            self.runtime.reply(tag[1], tag[2], tag[3], value)
            return
        state["replies"] += 1
        state["badReplies"] += form != VALUE or value <= state["lastValue"]
        state["lastValue"] = value if form == VALUE else state["lastValue"]
        self.runtime.send_fork("", STEP, [state["replies"], PADDING])
        if state["sent"] < state["calls"]:
            self.send_next()

    def send_next(self):
        self.state["sent"] += 1
        self.runtime.send_fork(self.state["peer"], NOTE, [self.state["sent"]])
        self.runtime.send_async(self.state["peer"], ADD, [1], ["added"])


