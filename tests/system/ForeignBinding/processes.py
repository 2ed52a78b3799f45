"""A coordinator and its app as two processes, restarted as an operating system would do; and waiting for what they report."""
import json
import os
import signal
import socket
import subprocess
import time


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Supervised:
    """`commands` and `expected` are by part, "coordinator" and "app": what is started, and with which codes it may end."""

    environment = {}

    def __init__(self, tag, folder, commands, expected, blank):
        self.tag, self.folder, self.commands, self.expected, self.blank = tag, folder, commands, expected, blank
        self.report = folder / f"{tag}.json"
        self.processes, self.ends = {}, []
        self.starts = dict.fromkeys(commands, 0)

    def supervise(self):
        """Starts what is not running."""
        for part, command in self.commands.items():
            process = self.processes.get(part)
            code = None if process is None else process.poll()
            if process is not None and code is None:
                continue
            if code is not None and code not in (-signal.SIGKILL, *self.expected[part]):
                self.ends.append(f"{self.tag} {part} ended with {code}: {self.log(part)[-300:]}")
            self.starts[part] += 1
            with open(self.folder / f"{self.tag}-{part}.log", "ab") as log:
                self.processes[part] = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **self.environment})

    def log(self, part):
        return (self.folder / f"{self.tag}-{part}.log").read_text("utf-8")

    def kill(self, *parts):
        """With SIGKILL; everything, if no part is named."""
        for part in parts or tuple(self.commands):
            self.processes[part].kill()
            self.processes[part].wait()

    def stop(self):
        for process in self.processes.values():
            process.kill()
            process.wait()

    def state(self):
        """What the app has reported."""
        try:
            return json.loads(self.report.read_text("utf-8"))
        except FileNotFoundError:
            return dict(self.blank)


def until(those, what, done, seconds):
    """Keeps those running until it is done; fails when one ends in a way that it must not, or after so many seconds."""
    deadline = time.monotonic() + seconds
    while not done():
        for each in those:
            each.supervise()
            if each.ends:
                raise AssertionError("; ".join(each.ends))
        if time.monotonic() > deadline:
            raise AssertionError(f"stuck while waiting for {what}: {[(i.tag, i.state()) for i in those]}")
        time.sleep(0.02)
