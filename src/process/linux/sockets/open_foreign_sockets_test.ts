import assert from "node:assert/strict";
import { DEFAULT_WAY, type Fixture, fixture, WAYS } from "../../_support/runner_fixture.ts";

// An at sign in these programs' paths is the byte 0xff, which is no text.

/** A search that looks into 32 directories, and again before each command. */
const SHORT = { first: 0, later: 0, pause: 0 };

const CONNECT = `import os, socket, sys
for path in [os.fsencode(path).replace(b"@", b"\\xff") for path in sys.argv[1:]]:
  try:
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    print(peer.recv(100).decode())
  except OSError as error: print("closed", error.errno)
`;

/** Listens at a name that leads nowhere for others: it leaves the directory. Prints its number. */
const LISTEN = `import os, socket, sys
directory = os.fsencode(sys.argv[1]).replace(b"@", b"\\xff")
os.makedirs(directory, exist_ok=True)
os.chdir(directory)
listener = socket.socket(socket.AF_UNIX)
listener.bind("s")
listener.listen()
os.chdir("/")
print(os.getpid(), flush=True)
while True:
  peer, _ = listener.accept()
  peer.sendall(b"heard 42")
  peer.close()
`;

/** A program that no process of this test is above; to be ended by its number. */
async function listens(directory: string): Promise<number> {
  const args = ["-c", 'python3 -I -c "$1" "$2" &', "sh", LISTEN, directory];
  const child = new Deno.Command("sh", { args, stdin: "null", stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  await child.status;
  return Number(new TextDecoder().decode(value));
}

async function answers(f: Fixture, directory = "deep/down/here"): Promise<readonly string[]> {
  const { output } = await f.run({ argv: ["python3", "-I", "-c", CONNECT, `${directory}/s`, "absent"] });
  return output.trim().split("\n");
}

const CLOSED = ["closed 13", "closed 13"];

// A program runs alike whether a shell forks or not.
for (const way of WAYS.filter(({ namespaces, fork }) => namespaces && fork)) {
  Deno.test(`S6 commands have no Unix sockets while one of another program cannot be found, and their own when it has ended: ${way.name}`, async () => {
    await using f = await fixture({ ...way, searchTimes: SHORT });
    for (let made = 0; made < 40; made++) await Deno.mkdir(`${f.scope}/many/${made}`, { recursive: true });
    await Deno.mkdir(`${f.scope}/deep/down/here`, { recursive: true });
    const pid = await listens(`${f.scope}/deep/down/here`);
    try {
      for (const _ of [1, 2]) assert.deepStrictEqual(await answers(f), CLOSED);
      assert.match(f.runner.closedSockets ?? "", /listens at "s", which may be in the project/);
    } finally {
      Deno.kill(pid, "SIGKILL");
    }
    // The kernel lists it until its program is gone.
    while (f.runner.closedSockets !== undefined) await f.run({ argv: ["true"] });
    assert.deepStrictEqual(await answers(f), ["closed 111", "closed 2"]);
  });
}

Deno.test("S6 without a sandbox that socket answers", async () => {
  await using f = await fixture({ ...DEFAULT_WAY, namespaces: false, enforce: false });
  await Deno.mkdir(`${f.scope}/deep/down/here`, { recursive: true });
  const pid = await listens(`${f.scope}/deep/down/here`);
  try {
    assert.deepStrictEqual(await answers(f), ["heard 42", "closed 2"]);
  } finally {
    Deno.kill(pid, "SIGKILL");
  }
});

for (const [enforce, said] of [[true, "closed 13"], [false, "heard 42"]] as const) {
  Deno.test(`S6 a socket in a directory whose name is no text is found and covered, and without a sandbox answers: ${said}`, async () => {
    await using f = await fixture({ ...DEFAULT_WAY, namespaces: enforce, enforce });
    const pid = await listens(`${f.scope}/a@b/@`);
    try {
      assert.deepStrictEqual(await answers(f, "a@b/@"), [said, "closed 2"]);
    } finally {
      Deno.kill(pid, "SIGKILL");
    }
  });
}
