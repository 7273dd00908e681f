"""An executor under somebody else's eyes: ncu, compute-sanitizer. It speaks api/protocol.h on its standard streams."""
import json
import subprocess


class Executor:
    def __init__(self, binary, *watcher, device="cuda:0"):
        self.process = subprocess.Popen([*watcher, binary, "--executor", "--device", device], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.other = []  # lines that the watcher wrote between the executor's

    def run(self, name, request):
        """The message that ends it: a result or an error."""
        request = json.dumps(request).encode()
        header = {"bytes": len(request), "type": "run", "id": name, "device": 0, "request": len(request)}
        self.process.stdin.write(json.dumps(header, separators=(",", ":")).encode() + b"\n" + request)
        self.process.stdin.flush()
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                self.other.append(line.decode())
                continue
            payload = self.process.stdout.read(message.get("bytes", 0))
            if "result" in message:
                message["result"] = json.loads(payload[:message["result"]])
            if message["type"] in ("result", "error"):
                return message
        raise RuntimeError("the executor ended: " + self.process.stderr.read()[-2000:].decode())

    def end(self, seconds=120):
        """Its exit status, and what the watcher said."""
        out, err = self.process.communicate(timeout=seconds)
        return self.process.returncode, "".join(self.other) + (out + err).decode()
