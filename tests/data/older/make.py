#!/usr/bin/env python3
"""Makes the fixtures of this folder with a binary of an older version: make.py BINARY

folder.tar.gz         the folder of an embedded store after a stop: a snapshot and the journal after it
folder-killed.tar.gz  the same after a kill: without the last record
redis.resp.gz         the keys of a store on Redis, as the commands that restore them
answers.json.gz       the responses of both: paths and bodies, without times and versions
"""

import base64, gzip, http.client, io, json, os, random, signal, socket, subprocess, sys, tarfile, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY = os.path.abspath(sys.argv[1])
START = 1_795_000_000_000
BOARDS = ["plain/a", "plain/b", "race/a", "sums/a", "packed/a", "best/a"]
NAMES = ["u%03d" % n for n in range(300)] + ["ünï cödé", "{braces}", "a:b/c", "\U0001f600"]


def contributions():
    rng = random.Random(15)
    for number in range(2_500):
        board = rng.choice(BOARDS)
        members = 40 if board.endswith("/b") else len(NAMES)
        item = {"board": board, "member": NAMES[rng.randrange(members)], "id": "c%d" % number,
                "at": START + rng.randrange(0, 172_800_000) // 1000 * 1000}
        kind = board.split("/")[0]
        if kind == "race":
            item["values"] = {"laps": rng.randrange(1, 20), "seconds": rng.randrange(60, 90)}
        elif kind == "sums":
            item["values"] = {"points": rng.randrange(-3, 9), "most": rng.randrange(50), "last": rng.randrange(5)}
        else:
            item.update(points=rng.randrange(1, 50))
        yield item


class Server:
    def __init__(self, folder, store):
        self.folder = folder
        command = [BINARY, "serve", "--listen", "127.0.0.1:0", "--store", store, "--config",
                   os.path.join(HERE, "config.toml")]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE,
                                        stderr=open(os.path.join(folder, "log"), "ab"))
        line = self.process.stdout.readline().decode()
        self.address = line.split("http://")[1].strip().rstrip("/")

    def ask(self, method, path, body=None, media="application/json"):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        connection.request(method, path, body, {"content-type": media} if body else {})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status == 404 and method == "GET":
            return None
        if answer.status >= 300:
            raise SystemExit("%s %s: %s %r" % (method, path, answer.status, text))
        return json.loads(text) if text else None

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait()


def fill(server):
    future = {"starts_at": "2026-11-01T00:00:00Z", "ends_at": "2035-01-01T00:00:00Z"}
    server.ask("PUT", "/v1/boards/plain/settled", json.dumps(future))
    items = list(contributions())
    items.append({"board": "plain/settled", "member": "u001", "points": 5, "at": START, "id": "s"})
    items.append({"board": "plain/gone", "member": "u001", "points": 5, "at": START, "id": "g"})
    for part in range(0, len(items), 1000):
        lines = "".join(json.dumps(item) + "\n" for item in items[part:part + 1000])
        receipt = server.ask("POST", "/v1/contributions", lines.encode(), "application/x-ndjson")
        assert receipt["rejected_count"] == receipt["failed_count"] == 0, str(receipt)[:500]
    server.ask("DELETE", "/v1/boards/plain/gone")
    server.ask("PUT", "/v1/members/u007/hidden")
    server.ask("DELETE", "/v1/boards/sums/a/members/u010")


def paths():
    for board in BOARDS + ["plain/settled"]:
        yield "/v1/boards/%s?window=all" % board
        kind = board.split("/")[0]
        windows = ["all"]
        if kind == "plain":
            windows += [period + ":2026-11-18" if period != "month" else "month:2026-11" for period in ("day", "month")]
        for window in windows:
            at = "?window=%s" % window
            yield "/v1/boards/%s/top%s&n=20" % (board, at)
            if kind != "best":
                yield "/v1/boards/%s/range%s&from=31&to=60" % (board, at)
            for member in ("u001",) if board.endswith("/settled") else ("u001", "u039"):
                yield "/v1/boards/%s/members/%s%s" % (board, member, at)
    yield "/v1/boards?kind=plain"
    yield "/v1/hidden?kind=plain"
    for kind in ("plain", "race", "sums", "packed", "best"):
        yield "/v1/kinds/%s" % kind


MOMENTARY = {"store", "version", "as_of", "age_ms", "stale", "final"}


def steady(value):
    if isinstance(value, dict):
        return {name: steady(held) for name, held in value.items() if name not in MOMENTARY}
    if isinstance(value, list):
        return [steady(held) for held in value]
    return value


def answers(server):
    said = [[path, steady(server.ask("GET", path))] for path in paths()]
    return [[path, body] for path, body in said if body is not None]


def write(name, data):
    with open(os.path.join(HERE, name), "wb") as file:
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            packed.write(data)


def packed_folder(folder):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for name in sorted(os.listdir(os.path.join(folder, "data"))):
            if name != "lock":
                tar.add(os.path.join(folder, "data", name), name)
    return data.getvalue()


def embedded():
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, "embedded:" + folder + "/data")
        fill(server)
        # The snapshots' thread looks five times a second.
        time.sleep(2)
        server.ask("POST", "/v1/contributions", json.dumps(
            {"board": "plain/a", "member": "u001", "points": 1, "at": START, "id": "last"}))
        said = answers(server)
        server.end(signal.SIGKILL)
        write("folder-killed.tar.gz", packed_folder(folder))
        server = Server(folder, "embedded:" + folder + "/data")
        assert answers(server) == said
        server.end(signal.SIGTERM)
        write("folder.tar.gz", packed_folder(folder))
        return said


def resp(*words):
    words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Redis:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.file = self.socket.makefile("rb")

    def command(self, *words):
        self.socket.sendall(resp(*words))
        return self.reply()

    def reply(self):
        line = self.file.readline()[:-2]
        kind, rest = line[:1], line[1:]
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        if kind == b"-":
            raise SystemExit(rest)
        return int(rest) if kind == b":" else rest


def on_redis():
    with tempfile.TemporaryDirectory() as folder:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        node = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--dir", folder],
                                stdout=subprocess.DEVNULL)
        time.sleep(1)
        server = Server(folder, "redis://127.0.0.1:%d" % port)
        fill(server)
        server.ask("POST", "/v1/contributions", json.dumps(
            {"board": "plain/a", "member": "u001", "points": 1, "at": START, "id": "last"}))
        said = answers(server)
        server.end(signal.SIGTERM)
        redis = Redis(port)
        data = b""
        for key in sorted(redis.command("KEYS", "*")):
            if redis.command("PTTL", key) == -1:
                data += resp("RESTORE", key, "0", redis.command("DUMP", key))
        write("redis.resp.gz", data)
        node.kill()
        node.wait()
        return said


of_folder, of_redis = embedded(), on_redis()
assert of_folder == of_redis, str([pair for pair in zip(of_folder, of_redis) if pair[0] != pair[1]])[:900]
write("answers.json.gz", json.dumps(of_folder, sort_keys=True).encode())
for name in ("folder.tar.gz", "folder-killed.tar.gz", "redis.resp.gz", "answers.json.gz"):
    print(name, os.path.getsize(os.path.join(HERE, name)))
