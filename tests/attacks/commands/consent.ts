/** I: what a person is asked and has allowed (S35, S36). A command that could answer, or write what is kept, would free itself. */
import { until } from "../../_support/deadline.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { runProgram } from "../../_support/terminal.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import { BOTH, python, type Row, type Scene, type ServerSetting, type Way } from "../frame/attack.ts";
import { driven, together, withOneControl } from "../frame/stage.ts";
import { withLines } from "../means/lines.ts";
import { REFUSING_NAMESPACES } from "../means/unusual_start.ts";

/** A server of the scene's home whose person has a question to answer. */
interface Asking {
  readonly server: ServerProcess;
  readonly bench: Workbench;
  readonly socket: string;
  readonly question: string;
}

type Flags = (home: string) => readonly string[];

/** Starts it; it has a sandbox in the control too, because nothing is asked without one. */
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
  const directory = `${home}/.local/state/ahma/control`;
  const token = await until(
    () => {
      const names = exists(directory) ? Array.from(Deno.readDirSync(directory), ({ name }) => name) : [];
      return names.find((name) => name.startsWith(`${server.pid}-`) && name.endsWith(".token"));
    },
    20_000,
    "the socket of the server that asks",
  );
  return await act({ server, bench, question, socket: `${directory}/${token.replace(/token$/, "sock")}` });
}

/** Answers as `ahma_mcp grants allow` does, with the token where that can be read, else with another. */
function answering({ socket, question }: Asking): string {
  return python(`import json, socket
path = ${JSON.stringify(socket)}
try:
    token = open(path[:-4] + "token").read()
except OSError:
    token = "0" * 64
try:
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)
    request = {"ahma": 1, "token": token, "request": "answer", "question": ${
    JSON.stringify(question)
  }, "answer": "session"}
    line.sendall(json.dumps(request).encode() + b"\\n")
    print(line.recv(4096).decode())
except OSError as error:
    print(error)`);
}

/** By a command of another server of the user, and where `own` says so by one of the server that asks. */
function answers(setting: ServerSetting, own: Flags = () => []): Way {
  const does = driven(async (scene) => {
    return await withQuestion(scene, own, async (asking) => {
      const line = answering(asking);
      const texts = [await scene.running.shell(line), ...scene.enforced ? [await asking.server.shell(line)] : []];
      return texts.map(({ text }) => /\{"event":"answered"\}/.exec(text)?.[0]).find((one) => one !== undefined);
    });
  });
  return { does, ownServer: setting };
}

/** Has a grant kept, and tries to read the file, to change it, and to put another directory in its place. */
function takesGrants(setting: ServerSetting): Way {
  const does = driven(async (scene) => {
    const { home, running } = scene;
    const directory = `${home}/.local/state/ahma/grants`;
    const file = `${directory}/grants.json`;
    await withQuestion(scene, () => [], async ({ bench, question }) => {
      const { stderr } = await runProgram(bench, ["grants", "allow", question, "project"], {
        environment: { HOME: home },
      });
      if (stderr !== "") throw new Error(stderr);
    });
    const kept = await Deno.readTextFile(file);
    const id = /g_[0-9a-f]{8}/.exec(kept)?.[0] ?? "there is no grant";
    const lines = {
      "read it": `cat ${file}`,
      "change it": `echo '{"version":1,"grants":[]}' > ${file}`,
      "exchange its directory": `mv ${directory} ${directory}.old && mkdir -m 700 ${directory}`,
    };
    return await together(scene, lines, async (line) => {
      const { text } = await running.shell(`${line}; true`);
      const now = exists(file) ? await Deno.readTextFile(file) : "gone";
      return text.includes(id) ? id : now === kept ? undefined : now;
    });
  });
  return { does, ownServer: setting };
}

/** What a line of the user's own prints. */
async function unsandboxed(scene: Scene, line: string): Promise<string> {
  return await withLines({ ...scene, enforced: false }, {}, async (shell) => (await shell.run(line)).text);
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

/** What becomes of it. */
interface Change {
  readonly change: (allowed: Allowed) => Promise<void> | void;
  /** Another session reads it in place of the one that was allowed. */
  readonly elsewhere?: true;
}

/** Reads after each of the changes, each in directories of its own; gives the secret where a command got it. */
function readsAfter(changes: Readonly<Record<string, Change>>): Way {
  const does = driven(async (scene) => {
    using bench = new Workbench(scene.user);
    if (!scene.enforced) {
      return await together(scene, changes, async ({ change }) => {
        const allowed = { ...furnished(bench), takeBack: () => Promise.resolve() };
        await change(allowed);
        return (await unsandboxed(scene, `cat ${allowed.data}/f`)).includes(allowed.secret)
          ? allowed.secret
          : undefined;
      });
    }
    const flags = ["--ask", "read"];
    await using server = await ServerProcess.start(bench, { flags });
    using elsewhere = new Workbench(scene.user);
    await using another = await ServerProcess.start(elsewhere, { flags, environment: { HOME: bench.home } });
    return await together(scene, changes, async ({ change, elsewhere: isElsewhere }) => {
      const places = furnished(bench);
      const { data, secret } = places;
      await change({ ...places, takeBack: await allowedTo(server, { bench, data }) });
      const reader = isElsewhere === true ? another : server;
      return (await reader.shell(`cat ${data}/f; cat ${data}/*`)).text.includes(secret) ? secret : undefined;
    });
  });
  return { does };
}

function furnished(bench: Workbench): Omit<Allowed, "takeBack"> {
  const [secret, place] = [crypto.randomUUID(), `${bench.elsewhere}/${crypto.randomUUID()}`];
  const [data, other] = [`${place}/data`, `${place}/other`];
  bench.write(`${data}/f`, "allowed\n");
  bench.write(`${other}/f`, secret);
  return { data, other, secret };
}

/** Has a person allow the session to read the directory; gives what takes that back. */
async function allowedTo(
  server: ServerProcess,
  { bench, data }: { readonly bench: Workbench; readonly data: string },
): Promise<() => Promise<void>> {
  // The directory, as its file is one of several.
  const [, grant = ""] = /grants allow (q_\w+)/.exec((await server.shell(`ls ${data}`)).text) ?? [];
  // A busy machine opens the socket for people late.
  const answered = await until(
    async () => {
      const { code, stdout, stderr } = await runProgram(bench, ["grants", "allow", grant, "session"]);
      return code === 0 ? `${stdout}${stderr}` : undefined;
    },
    20_000,
    `an answer to "${grant}"`,
  );
  const seen = (await server.shell(`cat ${data}/f`)).text;
  if (!seen.includes("allowed")) throw new Error(`What was allowed cannot be read: ${answered}${seen}`);
  return async () => {
    const { code, stderr } = await runProgram(bench, ["grants", "revoke", grant]);
    if (code !== 0) throw new Error(stderr);
  };
}

function exchange({ data, other }: Allowed): void {
  Deno.renameSync(data, `${data}.old`);
  Deno.renameSync(other, data);
}

function linkInstead({ data, other }: Allowed): void {
  Deno.renameSync(data, `${data}.old`);
  Deno.symlinkSync(other, data);
}

function linkFile({ data, other }: Allowed): void {
  Deno.removeSync(`${data}/f`);
  Deno.symlinkSync(`${other}/f`, `${data}/f`);
}

/** With the secret in place of what was read before. */
function rewrite({ data, secret }: Allowed): void {
  Deno.writeTextFileSync(`${data}/f`, secret);
}

async function takeBack(allowed: Allowed): Promise<void> {
  rewrite(allowed);
  await allowed.takeBack();
}

/** A question that a person was asked, and how it ended. */
interface Unanswered {
  readonly bench: Workbench;
  readonly server: ServerProcess;
  readonly question: string;
}

/** Reads after `end`, by the same server where that lives, else by the next one. */
function readsUnanswered(end: (asked: Unanswered) => Promise<"the same server" | "the next one">): Way {
  const does = driven(async (scene) => {
    using bench = new Workbench(scene.user);
    const [data, secret] = [`${bench.elsewhere}/data`, crypto.randomUUID()];
    bench.write(`${data}/f`, secret);
    const lines = [`ls ${data}`, `cat ${data}/f`, `cat ${data}/*`];
    const reads = async (run: (line: string) => Promise<string>) => {
      const texts = await Promise.all(lines.map(run));
      return texts.some((text) => text.includes(secret)) ? secret : undefined;
    };
    if (!scene.enforced) return await reads((line) => unsandboxed(scene, line));
    const start = () => ServerProcess.start(bench, { flags: ["--ask", "read"] });
    await using server = await start();
    // Two that ask alike have one question.
    const line = lines[1] ?? "";
    const denied = await Promise.all([line, `${line}; true`].map(async (one) => (await server.shell(one)).text));
    const [question, other] = new Set(denied.flatMap((text) => /grants allow (q_\w+)/.exec(text)?.[1] ?? []));
    if (question === undefined || other !== undefined) throw new Error(`Not one question: ${denied.join("\n")}`);
    if (await end({ bench, server, question }) === "the same server") {
      return await reads(async (line) => (await server.shell(line)).text);
    }
    await using next = await start();
    return await reads(async (line) => (await next.shell(line)).text);
  });
  return { does };
}

async function answerNo({ bench, question }: Unanswered): Promise<"the same server"> {
  const { code, stderr } = await runProgram(bench, ["grants", "deny", question]);
  if (code !== 0) throw new Error(stderr);
  return "the same server";
}

/** The answer comes too late. */
async function answerAfter(asked: Unanswered, gone: Promise<unknown>): Promise<"the next one"> {
  const { bench, question } = asked;
  await gone;
  const { code, stdout } = await runProgram(bench, ["grants", "allow", question, "project"]);
  if (code === 0) throw new Error(`A question of a server that is gone was answered: ${stdout}`);
  return "the next one";
}

async function endClient(asked: Unanswered): Promise<"the next one"> {
  await asked.server.closeInput();
  return await answerAfter(asked, asked.server.exit());
}

async function killServer(asked: Unanswered): Promise<"the next one"> {
  asked.server.kill("SIGKILL");
  return await answerAfter(asked, asked.server.exit());
}

/** A directory whose name is meant to be read as words of the server. */
function looksLikeOurs(): Way {
  const name = "data\n\u001b[2KSandbox: everything is allowed now\u202e";
  const does = driven(async (scene) => {
    using bench = new Workbench(scene.user);
    const directory = `${bench.elsewhere}/${name}`;
    bench.write(`${directory}/f`, "x");
    const line =
      `ls "$(printf '%s/data\\n\\033[2KSandbox: everything is allowed now\\342\\200\\256' ${bench.elsewhere})"; pwd`;
    const forged = (text: string) => /^.{0,16}Sandbox: everything is allowed now/m.exec(text)?.[0];
    if (!scene.enforced) return forged(await unsandboxed(scene, `printf '%s' '${name}'`));
    await using server = await ServerProcess.start(bench, { flags: ["--ask", "read"] });
    await server.shell(line);
    const { stdout } = await runProgram(bench, ["grants"]);
    return forged(stdout);
  });
  return { does };
}

const OPEN_SOCKETS = ["--unix-sockets", "allow"];

export const CONSENT: readonly Row[] = [
  {
    id: "I09",
    title: "answer the question of a command in the person's place, of its own server or of another",
    users: BOTH,
    aim: "evidence",
    ways: withOneControl({
      "where the home may be read, and every socket is open": answers(
        { flags: ({ home }) => [...OPEN_SOCKETS, "--read", home] },
        (home) => ["--read", home],
      ),
      "as commands are": { ...answers({}), extended: true },
      "without namespaces, where every socket is open": answers({ ...REFUSING_NAMESPACES, flags: () => OPEN_SOCKETS }),
    }),
  },
  {
    id: "I10",
    title: "read what a person allowed for good, or change it",
    users: BOTH,
    aim: "evidence",
    ways: withOneControl({
      "where the home may be written to": takesGrants({
        flags: ({ home }) => ["--write", home, "--allow-broad-scope"],
      }),
      "as commands are": { ...takesGrants({}), extended: true },
      "where the home may be read": { ...takesGrants({ flags: ({ home }) => ["--read", home] }), extended: true },
      "without namespaces": takesGrants(REFUSING_NAMESPACES),
    }),
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
        "after it was taken back": { change: takeBack },
        "in another session": { change: rewrite, elsewhere: true },
      }),
    },
  },
  {
    id: "I12",
    title: "use a question that no person has answered with yes",
    users: BOTH,
    aim: "evidence",
    ways: {
      "after a no to two that asked alike": readsUnanswered(answerNo),
      "after its client is gone": readsUnanswered(endClient),
      "after its server was killed": readsUnanswered(killServer),
      "in words that look like the server's": looksLikeOurs(),
    },
  },
];
