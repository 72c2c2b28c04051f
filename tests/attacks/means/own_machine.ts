/** A server in a network of its own, where everything that leaves its commands is heard, whatever its address. */
import { python, type Scene, type ServerSetting, type Way } from "../frame/attack.ts";
import { driven, together, writeTools } from "../frame/stage.ts";
import { AT_ONCE, IN_TURN } from "./attempts_in_python.ts";
import type { ToolAnswer } from "../../_support/json_rpc.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import type { Workbench } from "../../_support/workbench.ts";

/** Names nearly like listed ones. */
export const NEARLY: readonly string[] = [
  "xbelow.example.test",
  "a.below.example.test.other.test",
  "a.xbelow.example.test",
  "example.test",
  "named.example",
  "named-example.test",
  "named.example.test.test",
  "xn--bcher-kva.example.test",
  "own.example.test.other.test",
  "named",
];
const LOOKALIKES = NEARLY.join(" ");

/** Where the names of that machine lead; `rebind.example.test` leads elsewhere at each question. */
const HOSTS = `127.0.0.1 localhost own.example.test
8.8.1.1 named.example.test a.below.example.test
8.8.2.2 ${LOOKALIKES}
8.8.2.2 other.example.test below.example.test named.example.test.other.test notnamed.example.test xn--nmed-loa.example.test
10.1.2.3 private.example.test
169.254.169.254 meta.example.test
8.9.1.1 routed.example.test
64:ff9b::7f00:1 nat64.example.test
64:ff9b::a9fe:a9fe meta64.example.test
2002:7f00:1:: sixtofour.example.test
198.18.0.9 answers.example.test
100.64.0.9 shared.example.test
`;

export const LISTED = "named.example.test";
export const OTHER = "other.example.test";
/** A port of listed names, and one that no list has. */
export const PORT = 7000;
export const UNLISTED_PORT = 7001;

/** Listed names that lead to places in other forms. */
export const ODD: readonly string[] = ["routed", "nat64", "meta64", "sixtofour", "answers", "shared"];

const LIST = [
  ...[`${LISTED}:${PORT},443,80`, `*.below.example.test:${PORT}`, `8.8.4.4:${PORT}`],
  ...["own", "private", "meta", "rebind", ...ODD].map((one) => `${one}.example.test:${PORT}`),
].join(",");

/** Runs the rest of its words where every address of some ranges is this machine, and writes down what comes there. */
const RECORDER = `
import ctypes, fcntl, os, select, socket, struct, sys
def routed(family, address, bits, source=None):
  raw = socket.inet_pton(family, address)
  body = struct.pack("=BBBBBBBBI", family, bits, 0, 0, 255, 4, 254 if family == 2 else 0, 2, 0)
  body += struct.pack("=HH", 4 + len(raw), 1) + raw + struct.pack("=HHI", 8, 4, 1)
  if source: body += struct.pack("=HH", 8, 7) + socket.inet_aton(source)
  netlink.send(struct.pack("=IHHII", 16 + len(body), 24, 0x405, 1, 0) + body)
  code = struct.unpack("=i", netlink.recv(4096)[16:20])[0]
  if code: raise OSError(-code, address)
netlink = socket.socket(16, 3, 0)
with socket.socket() as one: fcntl.ioctl(one, 0x8914, struct.pack("16sH14x", b"lo", 0x49))
# These are not taken for the machine's own: connections to them come from another address.
for address, bits in ("8.8.0.0", 16), ("10.1.0.0", 16), ("169.254.169.254", 32): routed(2, address, bits, "127.0.0.1")
for address, bits in ("8.9.0.0", 16), ("198.18.0.0", 15), ("100.64.0.0", 10): routed(2, address, bits)
for address, bits in ("2620:fe::", 48), ("64:ff9b::", 96), ("2002::", 16): routed(10, address, bits)
tcp, udp = [], []
for port in 53, 80, 443, 853, ${PORT}, ${UNLISTED_PORT}:
  for kind, kept in (1, tcp), (2, udp):
    one = socket.socket(10, kind)
    one.setsockopt(41, 26, 0)
    one.bind(("::", port))
    kept.append(one)
    if kind == 1: one.listen(64)
ping = socket.socket(2, 3, 1)
unix = socket.socket(1, 1)
unix.bind(b"\\0outside")
unix.listen(8)
if os.fork():
  os.execvp(sys.argv[1], sys.argv[1:])
ctypes.CDLL(None).prctl(1, 9)
null = os.open("/dev/null", 2)
for one in 0, 1, 2: os.dup2(null, one)
log = open("../heard", "a", buffering=1)
def heard(kind, one, what): log.write(f"{kind} {one.getsockname()[0]} {one.getsockname()[1]} {what!r}\\n")
asked = 0
def answer(one, query, peer):
  global asked
  if b"rebind" not in query: return log.write(f"dns {query!r}\\n")
  at = query.index(b"\\0", 12)
  is_v4 = query[at+1:at+3] == b"\\0\\1"
  asked += is_v4
  found = b"\\xc0\\x0c\\0\\1\\0\\1" + bytes(5) + b"\\4" + (bytes([8, 8, 1, 1]) if asked % 2 else bytes([127, 0, 0, 1]))
  one.sendto(query[:2] + b"\\x81\\x80\\0\\1\\0" + bytes([is_v4]) + bytes(4) + query[12:at+5] + (found if is_v4 else b""), peer)
def serve(one, data):
  if one.getsockname()[1] != 80:
    heard("data", one, data)
    return one.send(b"hello too\\n")
  # As a server that takes every kind of line, and any number of requests.
  waiting[one] += data.replace(b"\\r\\n", b"\\n")
  while b"\\n\\n" in waiting.get(one, b""):
    head, waiting[one] = waiting[one].split(b"\\n\\n", 1)
    heard("served", one, head)
    one.send(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n")
waiting = {}
def act(one):
  if one in udp:
    data, peer = one.recvfrom(4096)
    if one.getsockname()[1] == 53: answer(one, data, peer)
    else:
      heard("udp", one, data)
      one.sendto(b"hello too\\n", peer)
  elif one is ping:
    data = one.recv(4096)
    if data[20] == 8: log.write("ping\\n")
  elif one is unix:
    log.write("unix\\n")
    one.accept()[0].close()
  elif one in tcp:
    peer = one.accept()[0]
    waiting[peer] = b""
    heard("open", peer, "")
  else:
    data = one.recv(65536)
    if data: serve(one, data)
    else: del waiting[one]
while True:
  for one in select.select([*udp, ping, unix, *tcp, *waiting], [], [])[0]:
    try: act(one)
    except (OSError, IndexError): waiting.pop(one, None)
`;

function prefixFor(user: Scene["user"]): readonly string[] {
  const script =
    'mount --bind ../hosts /etc/hosts && mount --bind ../resolv /etc/resolv.conf && exec python3 -IS -c "$0" "$@"';
  const own = ["--net", "--mount", "sh", "-c", script, RECORDER];
  if (user === "root") return ["unshare", ...own];
  const dropped = ["setpriv", "--ambient-caps=-all", "--inh-caps=-all"];
  return ["unshare", "--user", "--map-current-user", "--keep-caps", ...own, ...dropped];
}

/** Python: what attempts use. `talk` prints what it is answered. */
const PRELUDE = `import os, socket, struct, sys
socket.setdefaulttimeout(3)
def talk(host, port, words=b"hello\\n", *more):
  with socket.create_connection((host, port)) as peer:
    for one in (words, *more):
      peer.sendall(one)
    print(peer.recv(100))
`;

/** Lines of Python in place of an attempt, which may fail. */
export type Attempt = string | { readonly program: string; readonly control: string };

/** How attempts are made that are no plain commands of the shell tool. */
export interface Stage {
  /** Once, before them; what it gives takes down what it made. */
  readonly begin: (server: ServerProcess) => Promise<() => Promise<unknown>>;
  readonly run: (server: ServerProcess, line: string) => Promise<ToolAnswer>;
}

/** Attempts, and what matches a line of what is written down of one that had an effect. */
export type Watched = readonly [attempts: Readonly<Record<string, Attempt>>, pattern: RegExp];

/**
 * A way of attempts in turn, each a command: a listed name is reached after each. `pattern` matches what is written down
 * of one that had an effect: without the sandbox each must have it. A row has one such way, as all that is heard counts.
 */
export function outward(attempts: Readonly<Record<string, Attempt>>, pattern: RegExp, stage: Stage): Way {
  return staged(stage, (scene, run) =>
    together(scene, attempts, async (attempt) => {
      const before = (await heardBy(scene)).length;
      const text = await inTwo(scene.running, { run, attack: programOf(scene, attempt), last: reachesListed("sync") });
      const heard = withoutSync((await heardBy(scene)).slice(before), "sync");
      if (heard === undefined) throw new Error(`The listed name was not reached: ${text}`);
      return heard.find((line) => pattern.test(line));
    }));
}

/** As `outward` in one command: a listed name is reached after each attempt. */
export function outwardInOne(...groups: readonly Watched[]): Way {
  return inOneCommand(groups, "here");
}

/** What is sent to a listed name after each attempt. */
const MARKED = `talk("${LISTED}", ${PORT}, b"mark %d" % at)`;

/** Each attempt is a process of its own. */
export function outwardInProcesses(...groups: readonly Watched[]): Way {
  return inOneCommand(groups, "processes");
}

function inOneCommand(groups: readonly Watched[], where: keyof typeof IN_TURN): Way {
  const tried = groups.flatMap(([attempts, pattern]) =>
    Object.entries(attempts).map(([name, attempt]) => ({ name, attempt, pattern }))
  );
  return onShared({
    does: driven(async (scene) => {
      const before = (await heardBy(scene)).length;
      const command = python(PRELUDE + IN_TURN[where](tried.map(({ attempt }) => programOf(scene, attempt)), MARKED));
      const options = { command, execution_mode: "Synchronous", timeout_seconds: 150 };
      const { text } = await scene.running.call("sandboxed_shell", options, { deadline: 180_000 });
      const heard = (await heardBy(scene)).slice(before);
      const marks = heard.flatMap((line, at) => /^data .*mark \d/.test(line) ? [at] : []);
      if (marks.length !== tried.length) throw new Error(`The listed name was not reached after each: ${text}`);
      const parts = tried.map(({ name, pattern }, at): [string, string | undefined] => {
        const part = heard.slice((marks[at - 1] ?? -1) + 1, marks[at]);
        const own = part.toSpliced(part.findLastIndex((line) => line.startsWith(OPEN)), 1);
        return [name, own.find((line) => pattern.test(line))];
      });
      return await together(scene, Object.fromEntries(parts), (line) => Promise.resolve(line));
    }),
  });
}

/**
 * A way of attempts at once in one command: each sends `tag`, which is its own, and has an effect where that
 * is heard. Without the sandbox each must be.
 */
export function volley(
  attempts: Readonly<Record<string, Attempt>>,
  means = "",
  within: keyof typeof AT_ONCE = "threads",
): Way {
  return onShared({ does: driven((scene) => fired(scene, attempts, { means, within })) });
}

/** As `volley`, by the stage: what matches `pattern` without a tag is an effect too, and no other way of the row is heard. */
export function volleyOn(stage: Stage, attempts: Readonly<Record<string, Attempt>>, pattern: RegExp): Way {
  return staged(stage, async (scene, run) => {
    const before = (await heardBy(scene)).length;
    const reached = await fired(scene, attempts, { run });
    const heard = withoutSync((await heardBy(scene)).slice(before), "sync") ?? [];
    return reached ?? heard.find((line) => pattern.test(line));
  });
}

/** A way between the beginning of a stage and its end. */
function staged({ begin, run }: Stage, act: (scene: Scene, run: Stage["run"]) => Promise<string | undefined>): Way {
  const does = driven(async (scene) => {
    const end = await begin(scene.running);
    const achieved = await act(scene, run);
    await end();
    return achieved;
  });
  return onShared({ does });
}

interface Fired {
  readonly means?: string;
  readonly within?: keyof typeof AT_ONCE;
  /** Absent: as one command, which reaches the listed name too. */
  readonly run?: Stage["run"];
}

/** Makes the attempts at once; gives the names of those that were heard. @throws Error where one is not in the control. */
async function fired(
  scene: Scene,
  attempts: Readonly<Record<string, Attempt>>,
  { means = "", within = "threads", run }: Fired,
): Promise<string | undefined> {
  const entries = Object.entries(attempts);
  // Others are heard at the same time.
  const own = crypto.randomUUID().slice(0, 4);
  const tagOf = (at: number) => `<${own}${at}>`;
  const programs = entries.map(([, attempt], at) => [tagOf(at), programOf(scene, attempt)] as const);
  // Of what they do often, the tests do a quarter.
  const attack = `SHARE = ${scene.brief ? 4 : 1}\n${means}` + AT_ONCE[within](programs);
  const last = reachesListed(`sync ${own}`);
  const text = run === undefined
    ? await asCommand(scene.running, attack + last)
    : await inTwo(scene.running, { run, attack, last });
  const heard = await heardBy(scene);
  if (!heard.some((line) => line.includes(`sync ${own}`))) throw new Error(`The listed name was not reached: ${text}`);
  const isReached = (at: number) => heard.some((line) => line.includes(tagOf(at)));
  const reached = entries.filter((_, at) => isReached(at)).map(([name]) => name);
  const missed = entries.filter((_, at) => !isReached(at)).map(([name]) => name);
  if (!scene.enforced && missed.length > 0) {
    const ours = heard.filter((line) => line.includes(own)).join("\n");
    throw new Error(`"${missed.join('", "')}" have no effect without the sandbox: ${text}\n${ours}`);
  }
  return reached.length === 0 ? undefined : reached.join("; ");
}

/** What a program of Python prints. */
async function asCommand(server: ServerProcess, program: string): Promise<string> {
  return (await server.shell(python(PRELUDE + program), { timeout_seconds: 25 })).text;
}

/** An attack by the stage, and then what reaches the listed name, which the stage may not. */
async function inTwo(
  server: ServerProcess,
  { run, attack, last }: { readonly run: Stage["run"]; readonly attack: string; readonly last: string },
): Promise<string> {
  const { text } = await run(server, python(PRELUDE + attack));
  return `${await asCommand(server, last)}\n${text}`;
}

function reachesListed(words: string): string {
  return `talk("${LISTED}", ${PORT}, b"${words}")`;
}

/** What has been written down so far. */
async function heardBy({ parent }: Scene): Promise<readonly string[]> {
  return (await Deno.readTextFile(`${parent}/heard`)).split("\n").slice(0, -1);
}

/** Without the last words, and their connection, which is opened just before; undefined: they did not come. */
function withoutSync(heard: readonly string[], words: string): readonly string[] | undefined {
  const at = heard.findIndex((line) => line.startsWith("data ") && line.includes(words));
  if (at < 0) return undefined;
  const others = heard.toSpliced(at, 1);
  return others.toSpliced(others.findLastIndex((line) => line.startsWith(OPEN)), 1);
}

/** A way on such a server, which others use too. */
export function onShared(way: Way): Way {
  return { ...way, sharedServer: SHARED, watch: () => [] };
}

function programOf({ enforced }: Scene, attempt: Attempt): string {
  if (typeof attempt === "string") return attempt;
  return enforced ? attempt.program : attempt.control;
}

/** Servers with such a machine that volleys share. */
const SHARED: ServerSetting = {
  prefix: prefixFor,
  permissions: ["--allow-net"],
  flags: (bench, enforced) => {
    layOut(bench);
    writeTools(bench, TOOLS);
    return enforced ? LISTING : [];
  },
};

/** Runs a line of its argument behind the list of the leaf. */
const TOOLS = {
  lists: {
    name: "lists",
    command: "bash -c",
    description: "Runs a line.",
    synchronous: true,
    subcommand: Object.entries({
      narrow: [`${LISTED}:${PORT}`],
      wide: [`${LISTED}:${PORT}`, `*.below.example.test:${PORT}`, `8.8.4.4:${PORT}`],
      wider: [`${LISTED}:${PORT}`, `${OTHER}:${PORT}`, `8.8.2.2:${PORT}`, `${LISTED}:${UNLISTED_PORT}`],
      none: "none",
      local: "localhost",
    }).map(([name, network]) => ({ name, network, argv: [], description: `Runs it with ${name}.` })),
  },
};

const LISTING: readonly string[] = ["--network", LIST, "--allow-private-hosts", "meta.example.test"];

function layOut(bench: Workbench): void {
  bench.write("../hosts", HOSTS);
  bench.write("../resolv", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
  bench.write("../heard", "");
}

/** How a socket of both families tells of the listed name's address. */
const OPEN = "open ::ffff:8.8.1.1 7000";
