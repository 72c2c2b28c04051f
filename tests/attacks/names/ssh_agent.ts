/** Y70 and up: the ssh agent of commands, and what it must not sign, tell or change (S42). */
import { concatenate } from "../../../src/base/bytes.ts";
import { string } from "../../../src/ssh_agent/wire/fields.ts";
import { publicKeyText } from "../../../src/ssh_agent/wire/public_key.ts";
import { until } from "../../_support/deadline.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { makeKey, UserAgent } from "../../_support/servers/ssh_machine.ts";
import { runProgram } from "../../_support/terminal.ts";
import { Workbench } from "../../_support/workbench.ts";
import { BOTH, python, type Row, type Scene, type Way } from "../frame/attack.ts";
import { driven, together } from "../frame/stage.ts";
import { withLines } from "../means/lines.ts";

const LISTED = "listed.example.test";
const KNOWN: Readonly<Record<string, string>> = { H: LISTED, N: "known.example.test", M: "other.example.test" };
const KIND = string("ssh-ed25519");

/**
 * Python: `say` sends messages on one connection and gives the answers; `sign` asks for a signature, and `bind` names a host
 * with its signature of the session `S`. `K` is the chosen key, `O` another one of the agent; `H` is the listed host, `N` and
 * `M` are known ones, and `U` is unknown.
 */
const PRELUDE = `import os, socket, struct, sys
def s(part): return struct.pack(">I", len(part)) + part
def u(number): return struct.pack(">I", number)
def say(*messages):
  peer = socket.socket(socket.AF_UNIX)
  peer.settimeout(20)
  peer.connect(os.environ["SSH_AUTH_SOCK"])
  answers = []
  for message in messages:
    try:
      peer.sendall(s(message))
      head = peer.recv(4, socket.MSG_WAITALL)
    except (BrokenPipeError, ConnectionResetError): head = b""
    answers.append(peer.recv(struct.unpack(">I", head)[0], socket.MSG_WAITALL) if len(head) == 4 else b"\\0")
  return answers
def sign(data, key=None): return b"\\x0d" + s(key or K) + s(data) + u(0)
def login(session, method=b"publickey", key=None, more=b"", account=b"git"):
  return s(session) + b"\\x32" + s(account) + s(b"ssh-connection") + s(method) + b"\\1" + s(b"ssh-ed25519") + s(key or K) + more
def bind(host, signature, session=None, forwards=0):
  return b"\\x1b" + s(b"session-bind@openssh.com") + s(host) + s(session or S) + s(signature) + bytes([forwards])
def file(namespace): return b"SSHSIG" + s(namespace) + s(b"") + s(b"sha512") + s(b"h" * 64)
def told(*messages): print("answer %d" % say(*messages)[-1][0])
`;

/** A host's key and its signature of a session, as Python's bytes. */
async function hostProof(
  session: Uint8Array<ArrayBuffer>,
): Promise<{ readonly key: Uint8Array; readonly proof: Uint8Array }> {
  const pair = await crypto.subtle.generateKey("Ed25519", ...HOW) as CryptoKeyPair;
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const signed = new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, session));
  return { key: concatenate([KIND, string(raw)]), proof: concatenate([KIND, string(signed)]) };
}

const HOW = [true, ["sign", "verify"]] as const satisfies [boolean, KeyUsage[]];

function asPython(values: Readonly<Record<string, Uint8Array>>): string {
  return Object.entries(values).map(([name, bytes]) => `${name} = bytes.fromhex("${bytes.toHex()}")\n`).join("");
}

interface Attacked {
  readonly agent: UserAgent;
  readonly names: string;
  readonly flags: readonly string[];
  /** Of the known hosts. */
  readonly hosts: string;
}

/** An agent with two keys, of which one is chosen, and a host that is listed and one that is only known. */
async function withAgent<Result>(scene: Scene, act: (attacked: Attacked) => Promise<Result>): Promise<Result> {
  using bench = new Workbench(scene.user);
  await using agent = await UserAgent.start(bench);
  const keys = [await makeKey(bench, "chosen"), await makeKey(bench, "other")];
  for (const key of keys) await agent.add(key);
  const [chosen, other] = await Promise.all(keys.map(async (key) => {
    return Uint8Array.fromBase64((await Deno.readTextFile(`${key}.pub`)).split(" ")[1] ?? "");
  }));
  const session = crypto.getRandomValues(new Uint8Array(32));
  const proofs = await Promise.all(["H", "N", "M", "U"].map(async (name) => [name, await hostProof(session)] as const));
  const flags = ["--ssh-agent", "chosen of me", "--ssh-hosts", LISTED];
  const none = new Uint8Array(0);
  const names = asPython({
    ...{ K: chosen ?? none, O: other ?? none, S: session },
    ...Object.fromEntries(proofs.flatMap(([name, { key, proof }]) => [[name, key], [`${name}P`, proof]])),
  });
  const hosts = proofs.slice(0, -1)
    .map(([name, { key }]) => `${KNOWN[name] ?? ""} ${publicKeyText(key)}\n`).join("");
  return await act({ agent, names, flags, hosts });
}

interface Choice {
  readonly flags: readonly string[];
  /** Makes a server ready for the attempts. */
  prepare(bench: Workbench, run: (program: string) => Promise<string>): Promise<void>;
}

const LISTED_ONLY: Choice = { flags: [], prepare: () => Promise.resolve() };

/** A person is asked for hosts too, and has allowed the first key to log in at `N` as git. */
const ONE_ALLOWED: Choice = {
  flags: ["--ask", "ssh", "--ssh-agent", "other of me"],
  async prepare(bench, run) {
    const asked = await run("told(bind(N, NP), sign(login(S)))");
    const [, question] = /grants allow (q_\w+)/.exec(asked) ?? [];
    if (question === undefined) throw new Error(`No person is asked: ${asked}`);
    // A server opens its socket for people after its first answer.
    const isAllowed = async () => (await runProgram(bench, ["grants", "allow", question, "session"])).code === 0;
    await until(isAllowed, 20_000, `an answer to "${question}"`);
    const allowed = await run("told(bind(N, NP), sign(login(S)))");
    if (!allowed.startsWith("answer 14\n")) throw new Error(`Nothing was allowed: ${allowed}`);
  },
};

/** Attempts in one command, where a login at the listed host is signed after each. */
function asking(attempts: Readonly<Record<string, string>>, choice = LISTED_ONLY): Way {
  const does = driven((scene) =>
    withAgent(scene, ({ agent, names, flags, hosts }) =>
      withLines(scene, {
        environment: { SSH_AUTH_SOCK: agent.socket },
        prepare: (bench) => bench.write(`${bench.home}/.ssh/known_hosts`, hosts),
        flags: () => [...flags, ...choice.flags],
      }, async (shell, bench) => {
        const run = async (program: string) => (await shell.run(python(`${PRELUDE}${names}${program}`))).text;
        if (scene.enforced) await choice.prepare(bench, run);
        const text = await run(inTurn(Object.values(attempts)));
        const parts = Object.fromEntries(Object.keys(attempts).map((name, at) => [name, partOf(at, text, scene)]));
        return await together(scene, parts, (part) => Promise.resolve(part));
      }))
  );
  return { does };
}

/** Python: each attempt, and then a login at the listed host. */
function inTurn(attempts: readonly string[]): string {
  return `for at, attempt in enumerate(${JSON.stringify(attempts)}):
  print("attempt %d" % at)
  exec(attempt)
  told(bind(H, HP), sign(login(S)))
`;
}

/** What an attempt achieved. @throws Error where the agent did not answer it, or signs no login at a listed host after it. */
function partOf(at: number, text: string, { enforced }: Scene): string | undefined {
  const part = new RegExp(`^attempt ${at}\n((?:answer|keys) \\d+)\n(answer \\d+)$`, "m").exec(text);
  if (part === null) throw new Error(`The agent did not answer attempt ${at}: ${text}`);
  const [, told = "", works] = part;
  if (enforced && works !== "answer 14") throw new Error(`A listed host gets nothing after attempt ${at}: ${text}`);
  return /^(?:answer (?:14|6)|keys 2)$/.exec(told)?.[0];
}

/** A second session that knows where the first one's socket is, and may open every socket there is. */
const FROM_ELSEWHERE: Way = {
  does: driven((scene) =>
    withAgent(scene, async ({ agent, names, flags }) => {
      const ask = python(`${PRELUDE}${names}told(sign(file(b"git")))`);
      await using stack = new AsyncDisposableStack();
      const socketOfFirst = async () => {
        const bench = stack.use(new Workbench(scene.user));
        const environment = { SSH_AUTH_SOCK: agent.socket };
        const first = stack.use(await ServerProcess.start(bench, { flags, environment }));
        const own = (await first.shell(`echo $SSH_AUTH_SOCK; ${ask}`)).text;
        const [, socket] = /^(.+)\nanswer 14\n/.exec(own) ?? [];
        if (socket === undefined) throw new Error(`Its own command gets no signature: ${own}`);
        return socket;
      };
      const socket = scene.enforced ? await socketOfFirst() : agent.socket;
      const open = ["--unix-sockets", "allow", "--read", socket];
      return await withLines(scene, { flags: () => open }, async (shell) => {
        const { text } = await shell.run(`export SSH_AUTH_SOCK=${socket}; ${ask}`);
        if (!/^answer \d+$/m.test(text)) throw new Error(`The socket was not reached: ${text}`);
        return /^answer 14$/m.exec(text)?.[0];
      });
    })
  ),
};

export const SSH_AGENT: readonly Row[] = [
  {
    id: "Y70",
    title:
      "have something signed that is no login at a listed host and no signature of git, learn of other keys, or change the agent",
    users: BOTH,
    aim: "evidence",
    ways: {
      "by the agent of commands": asking({
        "chosen bytes": 'told(sign(b"chosen"))',
        "no bytes": 'told(sign(b""))',
        "a login without a host": "told(sign(login(S)))",
        "at a known host that is not listed": "told(bind(N, NP), sign(login(S)))",
        "at a listed host, with another's proof": "told(bind(H, NP), sign(login(S)))",
        "with the proof of another session": "told(bind(H, HP, os.urandom(32)), sign(login(S)))",
        "for another session than the proved one": "told(bind(H, HP), sign(login(os.urandom(32))))",
        "at a second host of a connection": "told(bind(H, HP), bind(N, NP), sign(login(S)))",
        "through a host": "told(bind(H, HP, forwards=1), sign(login(S)))",
        "of git, through a host": 'told(bind(H, HP, forwards=1), sign(file(b"git")))',
        "bound to another host within":
          'told(bind(H, HP), sign(login(S, b"publickey-hostbound-v00@openssh.com", more=s(N))))',
        "with more behind it": 'told(bind(H, HP), sign(login(S, more=b"x")))',
        "by another method": 'told(bind(H, HP), sign(login(S, b"hostbased")))',
        "a file": 'told(sign(file(b"file")))',
        "a file of nearly git": 'told(sign(file(b"\\xef\\xbb\\xbfgit")))',
        "with another key": "told(bind(H, HP), sign(login(S, key=O), O))",
        "of git, with another key": 'told(sign(file(b"git"), O))',
        "list keys": 'print("keys %d" % struct.unpack(">I", say(b"\\x0b")[0][1:5])[0])',
        "lock it, and unlock it": 'told(b"\\x16" + s(b"word"), b"\\x17" + s(b"word"))',
        "remove a key": 'told(b"\\x12" + s(O))',
        "remove all": 'told(b"\\x13")',
      }),
    },
  },
  {
    id: "Y72",
    title: "use the agent of another session's commands",
    users: BOTH,
    aim: "evidence",
    ways: { "by its path": FROM_ELSEWHERE },
  },
  {
    id: "Y73",
    title: "log in elsewhere than a person has allowed, or before any answer",
    users: BOTH,
    aim: "evidence",
    ways: {
      "by the agent of commands": asking({
        "as another account": 'told(bind(N, NP), sign(login(S, account=b"root")))',
        "as an account that looks like it": 'told(bind(N, NP), sign(login(S, account=b"git\\xe2\\x80\\xae")))',
        "with another key": "told(bind(N, NP), sign(login(S, key=O), O))",
        "at another known host": "told(bind(M, MP), sign(login(S)))",
        "at an unknown host": "told(bind(U, UP), sign(login(S)))",
        "at another host, with the allowed one's key": "told(bind(N, MP), sign(login(S)))",
        "at another host within":
          'told(bind(N, NP), sign(login(S, b"publickey-hostbound-v00@openssh.com", more=s(M))))',
      }, ONE_ALLOWED),
    },
  },
];
