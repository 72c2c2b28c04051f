/**
 * Unix sockets under the default `--unix-sockets private` (S6): those that commands make work, between commands too, and
 * those of other programs are out of reach, at any time. Each denial has its control without a sandbox.
 */
import assert from "node:assert/strict";
import { withDeadline } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { asUser, own } from "./attacks/means/as_user.ts";
import { type User, usersAtHand, Workbench } from "./_support/workbench.ts";

/** Python that listens at a path and answers each connection; `after` is done between. */
function listening(path: string, after = ""): string {
  return `import os, socket
listener = socket.socket(socket.AF_UNIX)
listener.bind("${path}")
listener.listen()
${after}
print("ready", flush=True)
while True:
  peer, _ = listener.accept()
  peer.sendall(b"heard 42")
  peer.close()`;
}

/** Python that tells what each of the sockets in its arguments answers. */
const CONNECT = `import socket, sys
for path in sys.argv[1:]:
  try:
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    print(path, peer.recv(100).decode())
  except OSError: print(path, "closed")
`;

/** A shell line that runs it, at the top of the scope. */
function connecting(...paths: readonly string[]): string {
  return `/usr/bin/python3 -I connect.py ${paths.join(" ")}`;
}

/** A program outside that listens. */
class Outsider implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
  }

  static async start(
    user: User,
    directory: string,
    path: string,
    { prefix = [], after }: { readonly prefix?: readonly string[]; readonly after?: string } = {},
  ): Promise<Outsider> {
    const program = ["/usr/bin/python3", "-I", "-c", listening(path, after)];
    const [command, ...args] = asUser(user, ["env", ...prefix, ...program]);
    const child = new Deno.Command(command, { args, cwd: directory, stdin: "null", stdout: "piped" }).spawn();
    const reader = child.stdout.getReader();
    await withDeadline(reader.read(), 10_000, "the program outside to listen");
    await reader.cancel();
    return new Outsider(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }
}

for (const user of usersAtHand()) {
  Deno.test(`S6 Unix sockets that commands make work, and those of other programs are out of reach, in the scope too, made before or between commands, as ${user}`, async () => {
    const denied = await answersOfOthers(user, async (bench) => {
      const server = await ServerProcess.start(bench, { flags: ["--read", `${bench.home}/read`] });
      await worksForCommands(bench, server);
      return server;
    });
    assert.deepStrictEqual(denied.answers, [[], []], denied.text);
    // The control, in the user's own shell: where nothing but modes decides, the ordinary user reaches least.
    if (user !== "ordinary") return;
    const reached = ["before", "container", "read/s", "elsewhere/s", "after"];
    const { answers, text } = await answersOfOthers(user, shellOf);
    assert.deepStrictEqual(
      answers,
      [[...reached, "run/relative", "moved/relative"], [...reached, "moved/relative"]],
      text,
    );
  });
}

/** In the scope and in /tmp, for other commands too. */
async function worksForCommands(bench: Workbench, server: ServerProcess): Promise<void> {
  await server.shell("mkfifo ready");
  for (const path of [`${bench.scope}/db.sock`, "/tmp/db.sock"]) {
    const { operation } = await server.start(`/usr/bin/python3 -I -u -c '${listening(path)}' > ready`);
    const seen = path.startsWith("/tmp") ? "$TMPDIR/db.sock" : path;
    const { text } = await server.shell(`head -n 1 ready; ${connecting(path)}; test -S ${seen} && echo there`);
    assert.ok(text.includes(`ready\n${path} heard 42\nthere`), text);
    await server.call("cancel", { operation_id: operation?.operation_id });
  }
}

/** What runs lines, until its end. */
interface Shell extends AsyncDisposable {
  shell(line: string): Promise<{ readonly text: string }>;
}

/** The user's own shell. */
function shellOf(bench: Workbench): Promise<Shell> {
  return Promise.resolve({
    shell: async (line) => ({ text: await own(bench, bench, line) }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

/** Which sockets of programs outside answer to a command, and to the next one. */
async function answersOfOthers(user: User, start: (bench: Workbench) => Promise<Shell>) {
  using bench = new Workbench(user);
  const { scope, elsewhere, home } = bench;
  bench.write("connect.py", CONNECT);
  bench.write("run/kept", "");
  bench.write(`${home}/read/kept`, "");
  await using stack = new AsyncDisposableStack();
  const listens = async (directory: string, path: string, prefix: readonly string[] = []) => {
    stack.use(await Outsider.start(user, directory, path, { prefix }));
  };
  await listens(scope, `${scope}/before`);
  await listens(`${scope}/run`, "relative");
  await listens(scope, `${scope}/container`, ["unshare", "-r", "-n"]);
  await listens(home, `${home}/read/s`);
  await listens(elsewhere, `${elsewhere}/s`);
  await using server = await start(bench);
  await listens(scope, `${scope}/after`);
  const all = ["before", "container", `${home}/read/s`, `${elsewhere}/s`, "after", "run/relative", "moved/relative"];
  const then = await server.shell(`${connecting(...all)}; mv run moved; ${connecting(...all)}`);
  const second = await server.shell(connecting(...all));
  const answers = [then, second].map(({ text }) =>
    all.filter((path) => text.includes(`${path} heard 42`)).map((path) =>
      path.replace(`${home}/`, "").replace(elsewhere, "elsewhere")
    )
  );
  await stack.disposeAsync(); // before the server's own end, after which nothing of the test may be left
  return { answers, text: `${then.text}\n${second.text}` };
}

/** More directories than a search by their number would look into. */
const MANY = 3_100;
/** The program is nowhere near its socket then, which every user may use. */
const LEAVE = 'os.chmod("relative", 0o777)\nos.chdir("/")';

// The one who sees least of where sockets of others are; what root reaches of them is tried above.
const others = usersAtHand();
Deno.test(`S6 sockets of ${others.join(" and ")} that an earlier session moved behind ${MANY} directories are out of reach, as ordinary`, async () => {
  using bench = new Workbench("ordinary");
  bench.write("connect.py", CONNECT);
  const make = `mkdir many && cd many && seq ${MANY} | xargs mkdir`;
  assert.ok((await new Deno.Command("sh", { args: ["-c", make], cwd: bench.scope }).output()).success);
  await using outsiders = new AsyncDisposableStack();
  for (const other of others) {
    const run = `${bench.scope}/${other}`;
    bench.write(`${run}/kept`, "");
    await Deno.chmod(run, 0o777);
    outsiders.use(await Outsider.start(other, run, "relative", { after: LEAVE }));
    await Deno.mkdir(`${bench.scope}/z/y`, { recursive: true });
    await Deno.rename(run, `${bench.scope}/z/y/${other}`);
  }
  const paths = others.map((other) => `z/y/${other}/relative`);
  const answers = async (start: (bench: Workbench) => Promise<Shell>) => {
    await using one = await start(bench);
    return (await one.shell(connecting(...paths))).text.split("\n").slice(0, paths.length);
  };
  assert.deepStrictEqual(await answers((on) => ServerProcess.start(on)), paths.map((path) => `${path} closed`));
  // The control, as above.
  assert.deepStrictEqual(await answers(shellOf), paths.map((path) => `${path} heard 42`));
});
