"""Immortals of a foreign binding under real coordinators, killed with SIGKILL again and again; at the end every count must be exact.

    python3 end_to_end.py --coordinator PATH [--csharp PATH] [--modes v2:csharp,legacy:csharp,legacy:v2,v2:legacy] [--calls 3000] [--kills 10] [--seed N]

A mode is a pair of links, the driver's and its peer's. The driver makes as many awaited calls and forks as --calls says, each call numbered by the
peer's total, and a fork to itself for each reply. Foreign ones also send impulses to themselves. `csharp` as peer is ForeignPeer: it is driven, drives
back, and awaits a call that calls it back. Victims are either app, either coordinator, a pair, or everything at once.
Exit code 0: nothing lost, doubled or out of order.
"""
import argparse
import pathlib
import random
import shutil
import sys
import tempfile
import time

from processes import Supervised, free_port, until

HERE = pathlib.Path(__file__).parent
STEP = 60  # seconds that a single step may take before the run counts as stuck


class Immortal(Supervised):
    """An instance of this test: its link is of version 2, or the legacy pair."""

    def __init__(self, name, mode, folder, options, app_arguments):
        self.name, self.pokes = name, 0 if mode == "csharp" else 3
        report = folder / f"{name}.json"
        common = ["--instance-name", name, "--store", f"file:{folder}/store", "--catalog", f"file:{folder}/catalog", "--page-size", "64KiB", "--checkpoint-every", "64KiB"]
        binding = [sys.executable, str(HERE / "binding.py"), "--mode", mode, "--name", name, "--report", str(report), "--pokes", "3", *app_arguments]
        if mode == "csharp":
            link = ["--binding-socket", f"{folder}/{name}.s"]
            binding, app_link = [options.csharp, "--instance-name", name], link
        elif mode == "v2":
            link, app_link = ["--binding-socket", f"{folder}/{name}.s"], ["--socket", f"{folder}/{name}.s"]
        else:
            receive, send = free_port(), free_port()
            link, app_link = ["--receive-port", str(receive), "--send-port", str(send)], ["--send-port", str(receive), "--receive-port", str(send)]
        # 3, and 75 in C#: an app that lost its coordinator ends by itself, as it should.
        lost = (75 if mode == "csharp" else 3,)
        super().__init__(name, folder, {"coordinator": [options.coordinator, *common, *link], "app": [*binding, *app_link]},
                         {"coordinator": lost, "app": lost}, {"replies": 0, "total": 0, "notes": 0, "steps": 0, "pokes": 0, "result": None})


class Run:
    """Driver and peer; subclasses say who they are and what must be true at the end."""

    def __init__(self, driver, peer, options, folder, chance):
        self.driver, self.peer, self.options, self.folder, self.chance = driver, peer, options, folder, chance
        self.both = (peer, driver)

    def wait(self, what, done):
        until(self.both, what, done, STEP)

    def kill_something(self):
        driver, peer = self.driver, self.peer
        victims = self.chance.choice([
            [(driver, "app")], [(peer, "app")], [(driver, "coordinator")], [(peer, "coordinator")],
            [(driver, "app"), (driver, "coordinator")], [(i, p) for i in self.both for p in i.commands]])
        for immortal, part in victims:
            immortal.kill(part)
        return " + ".join(f"{i.name}'s {p}" for i, p in victims)

    def execute(self):
        kills, calls = self.options.kills, self.options.calls
        self.wait("the first reply", lambda: self.driver.state()["replies"] > 0)
        for kill in range(kills):
            # Spread over the whole run, at moments that only chance knows.
            goal = calls * (kill + self.chance.random()) / (kills + 1)
            self.wait(f"{goal:.0f} replies", lambda: self.driver.state()["replies"] >= goal)
            print(f"    at {self.driver.state()['replies']} replies: SIGKILL to {self.kill_something()}", flush=True)
        self.wait("the end", self.done)
        wrong = [f"{who.name}'s {field} is {who.state()[field]}, expected {expected}" for who, fields in self.expected() for field, expected in fields.items() if who.state()[field] != expected]
        wrong += [f"{i.name} executed {i.state()['pokes']} impulses of {i.pokes * i.starts['app']} sent" for i in self.both if i.state()["pokes"] > i.pokes * i.starts["app"]]
        wrong += [f"{i.name} took no checkpoint while it ran" for i in self.both if newest_checkpoint(self.folder, i.name) == 0]
        if wrong:
            raise AssertionError("; ".join(wrong))

    def driver_expected(self):
        calls = self.options.calls
        return {"replies": calls, "sent": calls, "steps": calls, "badReplies": 0, "disorder": 0, "doublePokes": 0}


class ForeignPair(Run):
    """`teller` drives `bank`, both foreign."""

    def __init__(self, modes, options, folder, chance):
        teller = Immortal("teller", modes[0], folder, options, ["--peer", "bank", "--calls", str(options.calls)])
        super().__init__(teller, Immortal("bank", modes[1], folder, options, []), options, folder, chance)

    def done(self):
        return self.driver.state()["steps"] >= self.options.calls and self.peer.state()["total"] >= self.options.calls

    def expected(self):
        calls = self.options.calls
        return [(self.driver, {**self.driver_expected(), "lastValue": calls}), (self.peer, {"total": calls, "notes": calls, "disorder": 0, "doublePokes": 0})]


class MixedPair(Run):
    """`foreign` drives `ledger`, which is C#; ledger makes 300 calls and forks of its own, 30 of which call it back."""

    CALLS, CALLBACKS = 300, 30

    def __init__(self, modes, options, folder, chance):
        foreign = Immortal("foreign", modes[0], folder, options, ["--peer", "ledger", "--calls", str(options.calls)])
        super().__init__(foreign, Immortal("ledger", "csharp", folder, options, []), options, folder, chance)

    def done(self):
        state = self.driver.state()
        return state["steps"] >= self.options.calls and state["result"] is not None

    def expected(self):
        result = [self.CALLS, 0, self.CALLBACKS, "ValueError"]
        return [(self.driver, {**self.driver_expected(), "total": self.CALLS, "notes": self.CALLS, "relays": self.CALLBACKS, "result": result})]


def newest_checkpoint(folder, name):
    """LSN of the newest checkpoint; 0 is the one of the first start."""
    return max(int(file.stem) for file in (folder / "store" / name / "checkpoints").glob("*.ckpt"))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coordinator", required=True, help="the coordinator's executable")
    parser.add_argument("--modes", default="v2:csharp,legacy:csharp,legacy:v2,v2:legacy", help="pairs of links, the driver's and its peer's")
    parser.add_argument("--csharp", help="ForeignPeer's executable, for the peer `csharp`")
    parser.add_argument("--calls", type=int, default=3000, help="calls, and as many forks")
    parser.add_argument("--kills", type=int, default=10, help="per pair of links")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keep", action="store_true", help="keep the folder with logs and stores")
    options = parser.parse_args(arguments)
    if "csharp" in options.modes and not options.csharp:
        parser.error("the peer `csharp` needs --csharp")
    for pair in options.modes.split(","):
        modes = (pair.split(":") * 2)[:2]
        folder = pathlib.Path(tempfile.mkdtemp(prefix="fb-"))
        print(f"{modes[0]} drives {modes[1]}: {options.calls} calls, {options.kills} kills, seed {options.seed}", flush=True)
        run = (MixedPair if modes[1] == "csharp" else ForeignPair)(modes, options, folder, random.Random(options.seed))
        began = time.monotonic()
        try:
            run.execute()
        except AssertionError as wrong:
            print(f"  WRONG: {wrong}\n  logs are in {folder}")
            return 1
        finally:
            for immortal in run.both:
                immortal.stop()
        starts = sum(sum(i.starts.values()) for i in run.both)
        print(f"  exact: {options.calls} calls, replies and forks, in order; {sum(i.state()['pokes'] for i in run.both)} impulses, none twice; "
              f"{starts} process starts, newest checkpoints at LSN {[newest_checkpoint(folder, i.name) for i in run.both]}, {time.monotonic() - began:.1f} s", flush=True)
        if not options.keep:
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
