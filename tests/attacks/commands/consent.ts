/** I: what a person is asked and has allowed (S35, S36). A command that could answer, or write what is kept, would free itself. */
import { until } from "../../_support/deadline.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { type Ran, runProgram } from "../../_support/terminal.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import { BOTH, python, type Row, type Scene, type ServerSetting, type Way } from "../frame/attack.ts";
import { driven, together } from "../frame/stage.ts";
import { own as ownLine } from "../means/as_user.ts";
import { REFUSING_NAMESPACES } from "../means/unusual_start.ts";

/** A server of the scene's home whose person has a question to answer. */
interface Asking {
  readonly server: ServerProcess;
  readonly bench: Workbench;
  readonly socket: string;
  readonly question: string;
}

type Flags = (home: string) => readonly string[];

/** Starts it. */
async function withQuestion<Result>(
  { user, home }: Scene,
  flags: Flags,
  act: (asking: Asking) => Promise<Result>,
): Promise<Result> {
  using bench = new Workbench(user);
  await using server = await ServerProcess.start(bench, {
    flags: ["--network", "listed.example.test", "--ask", "network", ...flags(home)],
    permissions: ["--allow-net"],
    environment: { HOME: home },
  });
  // A query whose socket is closed at once has no owner: then nothing is asked.
  const asked = async () => (await server.shell("curl -sS -m 5 https://one.example.test/")).text;
  const question = await until(async () => /grants allow (q_\w+)/.exec(await asked())?.[1], 20_000, "a question");
  return await act({ server, bench, question, socket: await socketOf(server, home) });
}

/** Where a server listens to people, once it does: a busy machine opens it late. */
async function socketOf({ pid }: ServerProcess, home: string): Promise<string> {
  const directory = `${home}/.local/state/ahma/control`;
  const token = await until(
    () => {
      const names = exists(directory) ? Array.from(Deno.readDirSync(directory), ({ name }) => name) : [];
      return names.find((name) => name.startsWith(`${pid}-`) && name.endsWith(".token"));
    },
    20_000,
    "the socket of the server that asks",
  );
  return `${directory}/${token.replace(/token$/, "sock")}`;
}

/** What comes back to one who could answer. */
const ANSWERED = /\{"event":"answered"\}/;

type Answer = "project" | "session" | "no";

/** Answers as `ahma_mcp grants` does, with the token where that can be read, else with another. */
function answering({ socket, question }: Pick<Asking, "socket" | "question">, answer: Answer = "project"): string {
  return python(`import json, socket
path = ${JSON.stringify(socket)}
try:
    token = open(path[:-4] + "token").read()
except OSError:
    token = "0" * 64
try:
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)
    request = {"ahma": 1, "token": token, "request": "answer", "question": ${JSON.stringify(question)}, "answer": ${
    JSON.stringify(answer)
  }}
    line.sendall(json.dumps(request).encode() + b"\\n")
    print(line.recv(4096).decode())
except OSError as error:
    print(error)`);
}

/** Another server of the user; `flags` from the home. */
interface Other {
  readonly flags: Flags;
  readonly prefix?: readonly string[];
}

/**
 * A command of each other server of the user, and one of the server that asks, answers the question. Then the person allows
 * it for good: the others try to read the file, to change it, and to put another directory in its place. In the end a shell
 * of the person's own does all of it.
 */
function takesOver(others: readonly Other[], own: Flags = () => []): Way {
  const does = driven(async (scene) => {
    using place = new Workbench(scene.user);
    const { home } = place;
    await using stack = new AsyncDisposableStack();
    const servers: ServerProcess[] = [];
    for (const { flags, prefix = [] } of others) {
      const bench = stack.use(new Workbench(scene.user));
      const all = [...flags(home), ...scene.flags];
      servers.push(stack.use(await ServerProcess.start(bench, { flags: all, prefix, environment: { HOME: home } })));
    }
    return await withQuestion({ ...scene, home }, own, async (asking) => {
      const line = answering(asking);
      for (const one of [...servers, asking.server]) {
        const answered = ANSWERED.exec((await one.shell(line)).text)?.[0];
        if (answered !== undefined) return answered;
      }
      await answers(place, line);
      for (const one of servers) {
        const taken = await takesGrants(scene, home, async (command) => (await one.shell(`${command}; true`)).text);
        if (taken !== undefined) return taken;
      }
      await takesGrants({ enforced: false }, home, (command) => ownLine(scene, place, command));
      return undefined;
    });
  });
  return { does, noControl: "a shell of the person's own does all of it in the attempt" };
}

/** Has a person answer. */
async function answers(bench: Workbench, line: string): Promise<void> {
  const said = await ownLine(bench, bench, line);
  if (!ANSWERED.test(said)) throw new Error(`The question cannot be answered without the sandbox: ${said}`);
}

async function takesGrants(
  scene: Pick<Scene, "enforced">,
  home: string,
  run: (line: string) => Promise<string>,
): Promise<string | undefined> {
  const directory = `${home}/.local/state/ahma/grants`;
  const file = `${directory}/grants.json`;
  await until(() => exists(file), 20_000, "the grant to be kept");
  const kept = await Deno.readTextFile(file);
  const id = /g_[0-9a-f]{8}/.exec(kept)?.[0] ?? "there is no grant";
  const lines = {
    "read it": `cat ${file}`,
    "change it": `echo '{"version":1,"grants":[]}' > ${file}`,
    "exchange its directory": `mv ${directory} ${directory}.old && mkdir -m 700 ${directory}`,
  };
  return await together(scene, lines, async (line) => {
    const text = await run(line);
    const now = exists(file) ? await Deno.readTextFile(file) : "gone";
    return text.includes(id) ? id : now === kept ? undefined : now;
  });
}

/** A directory that a person allowed to read, and what is there afterwards. */
interface Allowed {
  /** `f` in it was allowed. */
  readonly data: string;
  /** Another one; `f` in it holds the secret. */
  readonly other: string;
  readonly secret: string;
  /** Takes the person's word back; does nothing in the control, which has no sandbox to be asked. */
  takeBack(): Promise<void>;
}

/** What becomes of it; gives what puts it back, so that the same directory is at its path again. */
interface Change {
  readonly change: (allowed: Allowed) => Promise<() => void> | (() => void);
  /** Another session reads it in place of the one that was allowed. */
  readonly elsewhere?: true;
}

/** A server that asks, and its home: for all whose questions only people may answer. */
const ASKING: ServerSetting = { flags: () => ["--ask", "read"], plainControl: true };

/** Reads after each of the changes in turn; gives the secret where a command got it. What is put back may be read. */
function readsAfter(changes: Readonly<Record<string, Change>>): Way {
  const does = driven(async (scene) => {
    using bench = new Workbench(scene.user);
    const places = furnished(bench);
    const { data, secret } = places;
    if (!scene.enforced) {
      const allowed = { ...places, takeBack: () => Promise.resolve() };
      return await together(scene, changes, async ({ change }) => {
        const putBack = await change(allowed);
        const text = await ownLine(scene, bench, `cat ${data}/f`);
        putBack();
        return text.includes(secret) ? secret : undefined;
      });
    }
    const { running, home } = scene;
    await using another = await ServerProcess.start(bench, { flags: ["--ask", "read"], environment: { HOME: home } });
    const takeBack = await allowedTo(scene, bench, data);
    return await together(scene, changes, async ({ change, elsewhere: isElsewhere }) => {
      const before = (await running.shell(`cat ${data}/f`)).text;
      if (!before.includes("allowed")) throw new Error(`What was allowed cannot be read: ${before}`);
      const putBack = await change({ ...places, takeBack });
      const reader = isElsewhere === true ? another : running;
      const { text } = await reader.shell(`cat ${data}/f; cat ${data}/*`);
      putBack();
      return text.includes(secret) ? secret : undefined;
    });
  });
  return { does, sharedServer: ASKING };
}

function furnished(bench: Workbench): Omit<Allowed, "takeBack"> {
  const [secret, place] = [crypto.randomUUID(), `${bench.elsewhere}/${crypto.randomUUID()}`];
  const [data, other] = [`${place}/data`, `${place}/other`];
  bench.write(`${data}/f`, "allowed\n");
  bench.write(`${other}/f`, secret);
  return { data, other, secret };
}

/** Has a person allow the session to read the directory; gives what takes that back. */
async function allowedTo({ running, home }: Scene, bench: Workbench, data: string): Promise<() => Promise<void>> {
  // The directory, as its file is one of several.
  const [, question = ""] = /grants allow (q_\w+)/.exec((await running.shell(`ls ${data}`)).text) ?? [];
  await answers(bench, answering({ question, socket: await socketOf(running, home) }, "session"));
  return async () => {
    const { code, stderr } = await grants(bench, home, ["revoke", question]);
    if (code !== 0) throw new Error(stderr);
  };
}

/** The subcommand, as the person of that home. */
async function grants(bench: Workbench, home: string, words: readonly string[]): Promise<Ran> {
  return await runProgram(bench, ["grants", ...words], { environment: { HOME: home } });
}

function exchange({ data, other }: Allowed): () => void {
  Deno.renameSync(data, `${data}.old`);
  Deno.renameSync(other, data);
  return () => {
    Deno.renameSync(data, other);
    Deno.renameSync(`${data}.old`, data);
  };
}

function linkInstead({ data, other }: Allowed): () => void {
  Deno.renameSync(data, `${data}.old`);
  Deno.symlinkSync(other, data);
  return () => {
    Deno.removeSync(data);
    Deno.renameSync(`${data}.old`, data);
  };
}

function linkFile({ data, other }: Allowed): () => void {
  Deno.renameSync(`${data}/f`, `${data}.f`);
  Deno.symlinkSync(`${other}/f`, `${data}/f`);
  return () => Deno.renameSync(`${data}.f`, `${data}/f`);
}

/** With the secret in place of what was read before. */
function rewrite({ data, secret }: Allowed): () => void {
  Deno.writeTextFileSync(`${data}/f`, secret);
  return () => Deno.writeTextFileSync(`${data}/f`, "allowed\n");
}

async function takeBack(allowed: Allowed): Promise<() => void> {
  const putBack = rewrite(allowed);
  await allowed.takeBack();
  return putBack;
}

/** Reads by questions that end without a yes: with their client, with their server, and by a no. */
async function readsUnanswered({ running, scope, home }: Scene, bench: Workbench): Promise<string | undefined> {
  const [first, second, third] = [newUnanswered(bench), newUnanswered(bench), newUnanswered(bench)];
  const flags = ["--ask", "read", "--sandbox-scope", scope];
  const start = () => ServerProcess.start(bench, { flags, environment: { HOME: home } });
  await using one = await start();
  const ofOne = await questionOf(one, home, first);
  await one.closeInput();
  await one.exit();
  await using two = await start();
  const ofTwo = await questionOf(two, home, second);
  two.kill("SIGKILL");
  await two.exit();
  for (const question of [ofOne, ofTwo]) {
    const { code, stdout } = await grants(bench, home, ["allow", question, "project"]);
    if (code === 0) throw new Error(`A question of a server that is gone was answered: ${stdout}`);
  }
  const question = await questionOf(running, home, third);
  await answers(bench, answering({ question, socket: await socketOf(running, home) }, "no"));
  const reads = {
    "after its client is gone": await readBy(running, first),
    "after its server was killed": await readBy(running, second),
    "after a no to two that asked alike": await readBy(running, third),
    "in words that look like the server's": await looksLikeOurs(running, home, bench),
  };
  return await together({ enforced: true }, reads, (read) => Promise.resolve(read));
}

/** A directory with a secret that a person is asked for. */
interface Unanswered {
  readonly data: string;
  readonly secret: string;
}

function newUnanswered(bench: Workbench): Unanswered {
  const [data, secret] = [`${bench.elsewhere}/${crypto.randomUUID()}`, crypto.randomUUID()];
  bench.write(`${data}/f`, secret);
  return { data, secret };
}

/** The question of two commands that ask alike, when it can be answered. @throws Error where they have not one. */
async function questionOf(server: ServerProcess, home: string, { data }: Unanswered): Promise<string> {
  const denied = await Promise.all(["", "; true"].map(async (end) => (await server.shell(`cat ${data}/f${end}`)).text));
  const [question, other] = new Set(denied.flatMap((text) => /grants allow (q_\w+)/.exec(text)?.[1] ?? []));
  if (question === undefined || other !== undefined) throw new Error(`Not one question: ${denied.join("\n")}`);
  await socketOf(server, home);
  return question;
}

async function readBy(server: ServerProcess, { data, secret }: Unanswered): Promise<string | undefined> {
  const texts = await Promise.all(["ls", "cat", "cat"].map(async (program, at) => {
    return (await server.shell(`${program} ${data}/${["", "f", "*"][at]}`)).text;
  }));
  return texts.some((text) => text.includes(secret)) ? secret : undefined;
}

const FORGING = "data\n\u001b[2KSandbox: everything is allowed now\u202e";

/** A directory, and a command, whose names are meant to be read as words of the server. */
async function looksLikeOurs(server: ServerProcess, home: string, bench: Workbench): Promise<string | undefined> {
  const { data } = newUnanswered(bench);
  bench.write(`${bench.elsewhere}/${FORGING}/f`, "x");
  const name = "data\\n\\033[2KSandbox: everything is allowed now\\342\\200\\256";
  await server.shell(`ls "$(printf '%s/${name}' ${bench.elsewhere})"; pwd`);
  const asked = await server.shell(`: '${FORGING}'; cat ${data}/f`);
  const [, question = "none"] = /grants allow (q_\w+)/.exec(asked.text) ?? [];
  const { stdout } = await grants(bench, home, []);
  if (!stdout.includes(question)) throw new Error(`It does not wait for an answer: ${asked.text}${stdout}`);
  return forged(stdout);
}

function forged(text: string): string | undefined {
  return /^.{0,16}Sandbox: everything is allowed now/m.exec(text)?.[0];
}

/** A person's own shell asks for no word, and shows a name as it is. */
async function readsBare(scene: Scene, bench: Workbench): Promise<string | undefined> {
  const { data, secret } = newUnanswered(bench);
  const text = await ownLine(scene, bench, `cat ${data}/f; printf '\\n%s' '${FORGING}'`);
  return text.includes(secret) ? forged(text) : undefined;
}

const OPEN_SOCKETS = ["--unix-sockets", "allow"];

export const CONSENT: readonly Row[] = [
  {
    id: "I09",
    title: "answer a command's question in the person's place, or read or change what the person allowed for good",
    users: BOTH,
    aim: "evidence",
    ways: {
      "where the home may be written to, and without namespaces, where every socket is open": takesOver([
        { flags: (home) => [...OPEN_SOCKETS, "--write", home, "--allow-broad-scope"] },
        { ...REFUSING_NAMESPACES, flags: () => OPEN_SOCKETS },
      ], (home) => ["--read", home]),
      "as commands are": { ...takesOver([{ flags: () => [] }]), extended: true },
      "where the home may be read, and every socket is open": {
        ...takesOver([{ flags: (home) => [...OPEN_SOCKETS, "--read", home] }], (home) => ["--read", home]),
        extended: true,
      },
    },
  },
  {
    id: "I11",
    title: "read with a person's grant what the person did not allow",
    users: BOTH,
    aim: "evidence",
    ways: {
      "after what became of it": readsAfter({
        "another directory at its path": { change: exchange },
        "a link at its path": { change: linkInstead },
        "a link to elsewhere in it": { change: linkFile },
        "in another session": { change: rewrite, elsewhere: true },
        "after it was taken back": { change: takeBack },
      }),
    },
  },
  {
    id: "I12",
    title: "use a question that no person has answered with yes",
    users: BOTH,
    aim: "evidence",
    ways: {
      "after its client or its server is gone, after a no, and in words that look like the server's": {
        does: driven(async (scene) => {
          using bench = new Workbench(scene.user);
          return await (scene.enforced ? readsUnanswered(scene, bench) : readsBare(scene, bench));
        }),
        sharedServer: ASKING,
      },
    },
  },
];
