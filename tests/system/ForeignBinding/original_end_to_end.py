"""Apps of the original's bindings under real coordinators: kills, stalls, large messages, replicas. At the end every count must be exact.

    python3 original_end_to_end.py --coordinator PATH [--only NAME,...] [--kills 6] [--calls 1500] [--seed N]
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
STEP = 120  # seconds that a single step may take before the run counts as stuck
EXPECTED = {"app": (3,), "coordinator": ()}


class Original(Supervised):
    """A coordinator and an app of the original's binding."""

    environment = {"FOREIGN_PEER": "tally"}

    def __init__(self, name, style, folder, options, app=(), coordinator=(), replica=None):
        self.name, self.replica = name, replica
        tag = name if replica is None else f"{name}-{replica}"
        receive, send = free_port(), free_port()
        commands = {
            "coordinator": [options.coordinator, "--instance-name", name, "--store", f"file:{folder}/store", "--catalog", f"file:{folder}/catalog", "--page-size", "64KiB",
                            "--checkpoint-every", "64KiB", "--receive-port", str(receive), "--send-port", str(send), *([] if replica is None else ["--replica-id", str(replica)]), *coordinator],
            "app": [sys.executable, str(HERE / "original.py"), "--style", style, "--name", name, "--send-port", str(receive), "--receive-port", str(send),
                    "--report", str(folder / f"{tag}.json"), *app],
        }
        super().__init__(tag, folder, commands, EXPECTED,
                         {"replies": 0, "notes": 0, "bytes": 0, "data": 0, "version": 0, "complete": False, "disorder": 0, "firsts": []})


class World:
    def __init__(self, folder, options, chance):
        self.folder, self.options, self.chance, self.all = folder, options, chance, []

    def add(self, name, style, **more):
        self.all.append(Original(name, style, self.folder, self.options, **more))
        return self.all[-1]

    def until(self, what, done):
        until(self.all, what, done, STEP)

    def pair(self, style, other=()):
        driver = self.add("driver", style, app=["--peer", "other", "--calls", str(self.options.calls)])
        return driver, self.add("other", style, app=["--acknowledge-to", "driver", *other])

    def require_exact(self, driver, others, style):
        calls = self.options.calls
        self.until("the end", lambda: driver.state()["replies"] >= calls and max(o.state()["notes"] for o in others) >= calls)
        last = max((o.state() for o in others), key=lambda s: s["notes"])
        first = ["322e302e31" if style == "js" else "0a68656c6c6f"]
        for who, field, found, expected in [
                ("driver", "replies", driver.state()["replies"], calls), ("driver", "disorder", driver.state()["disorder"], 0), ("driver", "firsts", driver.state()["firsts"], first),
                ("other", "notes", last["notes"], calls), ("other", "disorder", last["disorder"], 0), ("other", "firsts", last["firsts"], first)]:
            if found != expected:
                raise AssertionError(f"{who}'s {field} is {found}, expected {expected}")


def killed(world, style):
    """Either app, either coordinator, or everything at once, at moments that only chance knows."""
    driver, other = world.pair(style)
    kills, calls = world.options.kills, world.options.calls
    for kill in range(kills):
        goal = calls * (kill + world.chance.random()) / (kills + 1)
        world.until(f"{goal:.0f} replies", lambda: driver.state()["replies"] >= goal)
        for who, parts in world.chance.choice([[(driver, ("app",))], [(other, ("app",))], [(driver, ("coordinator",))], [(other, ("coordinator",))], [(driver, ()), (other, ())]]):
            who.kill(*parts)
    world.require_exact(driver, [other], style)


def stalled(world):
    """The other app reads nothing for ten seconds, in the midst of it."""
    driver, other = world.pair("js", other=["--stall", "10", "--stall-at", "100"])
    world.require_exact(driver, [other], "js")
    if "IC-1038" in other.log("coordinator"):
        raise AssertionError("an app whose turns nobody can see was said to be stuck in one")


def large(world):
    """Messages of 32 MiB, four of them in one batch, under the default limits; and one above them, which says what to set."""
    mib = 1 << 20
    app = world.add("large", "js", app=["--data", *[str(32 * mib)] * 4])
    world.until("four large messages", lambda: app.state()["data"] == 4)
    if app.state()["bytes"] != 128 * mib:
        raise AssertionError(f"{app.state()['bytes']} bytes came of {128 * mib}")
    app.stop()
    world.all.clear()
    larger = world.add("larger", "js", app=["--data", str(65 * mib)])
    world.until("a refusal", lambda: "coordinator" in larger.processes and "--max-message-size" in larger.log("coordinator"))
    larger.stop()
    larger.commands["coordinator"] += ["--max-message-size", "128MiB", "--max-turn-bytes", "128MiB"]
    world.until("what the option allows", lambda: larger.state()["data"] == 1)


def replicas(world):
    """The other app has two replicas; the one that serves is killed, app and coordinator, again and again."""
    driver = world.add("driver", "js", app=["--peer", "other", "--calls", str(world.options.calls)])
    pair = [world.add("other", "js", app=["--acknowledge-to", "driver"], replica=i) for i in range(2)]
    for turn in range(3):
        goal = world.options.calls * (turn + 1) // 4
        world.until(f"{goal} replies", lambda: driver.state()["replies"] >= goal)
        serving = max(pair, key=lambda o: o.state()["notes"])
        serving.kill()
        serving.report.unlink()
    world.require_exact(driver, pair, "js")


def upgraded(world):
    """The other app converts its state: on a start that asks for it, once, while calls wait. Then all of it comes again from a checkpoint before that."""
    driver, other = world.pair("js")
    other.commands["coordinator"] += ["--retain", "all"]
    calls = world.options.calls
    world.until("a third", lambda: driver.state()["replies"] >= calls // 3)
    other.kill()
    before = checkpoints(world)
    other.commands["coordinator"] += ["--legacy-upgrade-to", "2"]
    world.until("the upgrade", lambda: other.state()["version"] == 2 and other.state()["complete"])
    replies = driver.state()["replies"]
    world.until("more replies", lambda: driver.state()["replies"] > replies)
    other.kill()
    for newer in checkpoints(world) - before:
        newer.write_bytes(b"")  # Damaged, so that recovery begins before the upgrade.
    world.require_exact(driver, [other], "js")
    state = other.state()
    if state["version"] != 2 or state["converted"] != 12:  # The second time in the midst of a replay, and not asked for a checkpoint.
        raise AssertionError(f"the state is of version {state['version']}, converted by {state['converted']}")


def mixed(world):
    """A C# immortal beside an app of the original's JavaScript binding: each numbers and counts, in JSON, raw bytes, and nothing at all. Both are killed."""
    calls = world.options.calls
    driver = world.add("driver", "js", app=["--peer", "tally", "--acknowledge-to", "tally", "--calls", str(calls), "--extras"])
    tally = world.add("tally", "js")
    link = ["--binding-socket", f"{world.folder}/tally.s"]
    tally.commands["coordinator"] = tally.commands["coordinator"][:-4] + link
    tally.commands["app"] = [world.options.csharp, "--instance-name", "tally", *link]
    tally.expected = {**EXPECTED, "app": (75,)}
    for kill in range(world.options.kills):
        goal = calls * (kill + world.chance.random()) / (world.options.kills + 1)
        world.until(f"{goal:.0f} replies", lambda: driver.state()["replies"] >= goal)
        world.chance.choice([driver, tally]).kill(*world.chance.choice([("app",), ("coordinator",), ()]))
    world.until("the end", lambda: driver.state()["replies"] >= calls and driver.state()["notes"] >= 300)
    state = driver.state()
    found = {field: state[field] for field in ("replies", "notes", "disorder", "data", "bytes", "others")}
    expected = {"replies": calls, "notes": 300, "disorder": 0, "data": 30, "bytes": 3000, "others": 30}
    if found != expected:
        raise AssertionError(f"found {found}, expected {expected}")


def checkpoints(world):
    return set((world.folder / "store" / "other" / "checkpoints").glob("*.ckpt"))


SCENARIOS = {
    "js": lambda world: killed(world, "js"),
    "cs": lambda world: killed(world, "cs"),
    "stall": stalled,
    "large": large,
    "replicas": replicas,
    "upgrade": upgraded,
    "mixed": mixed,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coordinator", required=True)
    parser.add_argument("--csharp", help="ForeignPeer's executable, for `mixed`")
    parser.add_argument("--only", default=",".join(SCENARIOS))
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    for name in options.only.split(","):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="fo-"))
        world = World(folder, options, random.Random(options.seed))
        began = time.monotonic()
        try:
            SCENARIOS[name](world)
        except AssertionError as wrong:
            print(f"{name}, seed {options.seed}: WRONG: {wrong}\n  logs are in {folder}")
            return 1
        finally:
            for each in world.all:
                each.stop()
        print(f"{name}, seed {options.seed}: exact, {time.monotonic() - began:.1f} s", flush=True)
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
