/** X, continued: the proof that lets a server's first command run before its self-test. */
import { until } from "../../_support/deadline.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row, type Scene } from "../frame/attack.ts";
import { driven, together } from "../frame/stage.ts";
import { own } from "../means/as_user.ts";

const FORGED = "forged 42";

/** Other servers than the usual one that could let a command reach the proof. */
const SERVERS: readonly ((bench: Workbench) => readonly string[])[] = [
  (bench) => ["--write", `${bench.home}/.local/state`],
  (bench) => ["--sandbox-scope", bench.home, "--allow-broad-scope"],
];

/** Writes the proof of one server after the other, or puts another in its place. Without the sandbox one is enough. */
async function forges(scene: Scene): Promise<string | undefined> {
  using bench = new Workbench(scene.user);
  const file = bench.write(proofOf(bench), "as it was\n");
  if (!scene.enforced) return await forgesAt(scene, { bench, file, run: (line) => own(scene, bench, line) });
  const { running } = scene;
  const usual = proofOf(scene.bench);
  await running.shell("true");
  await until(() => exists(usual), 20_000, "the proof, which an honest server leaves");
  const what = await forgesAt(scene, { bench: scene.bench, file: usual, run: (line) => running.shell(line) });
  if (what !== undefined) return what;
  for (const flags of SERVERS.map((one) => one(bench))) {
    await using server = await ServerProcess.start(bench, { flags });
    const what = await forgesAt(scene, { bench, file, run: (line) => server.shell(line) });
    if (what !== undefined) return `${what}, with ${flags.join(" ")}`;
  }
  return undefined;
}

function proofOf({ home }: Workbench): string {
  return `${home}/.local/state/ahma/proofs/self-test`;
}

interface Forging {
  readonly bench: Workbench;
  readonly file: string;
  readonly run: (line: string) => Promise<unknown>;
}

async function forgesAt(scene: Scene, { bench, file, run }: Forging): Promise<string | undefined> {
  const directory = file.slice(0, file.lastIndexOf("/"));
  const kept = await Deno.readTextFile(file);
  const forge = `(umask 077; echo '${FORGED}' > ${file})`;
  const lines = {
    "write it": forge,
    "replace it": `echo '${FORGED}' > ${file}.new && mv ${file}.new ${file}`,
    "exchange its directory": `mv ${directory} ${directory}.old && mkdir -m 700 ${directory} && ${forge}`,
    "exchange the state": `mv ${bench.home}/.local/state/ahma ~/aside && mkdir -m 700 -p ${directory} && ${forge}`,
    "a second name": `ln ${file} here && echo '${FORGED}' > here`,
  };
  return await together(scene, lines, async (line) => {
    await run(`${line}; true`);
    const now = exists(file) ? await Deno.readTextFile(file) : FORGED;
    if (now !== kept) restore(file, kept);
    return now.includes(FORGED) ? now : undefined;
  });
}

function restore(file: string, text: string): void {
  const directory = file.slice(0, file.lastIndexOf("/"));
  Deno.mkdirSync(directory, { recursive: true });
  if (exists(file)) Deno.removeSync(file);
  Deno.writeTextFileSync(file, text, { mode: 0o600 });
  // The lines of an ordinary user's commands exchange what is theirs alone.
  const { uid, gid } = Deno.statSync(directory.slice(0, directory.indexOf("/.local")));
  if (Deno.uid() !== 0) return;
  for (const path of [directory.replace(/\/proofs$/, ""), directory, file]) {
    if (uid !== null && gid !== null) Deno.chownSync(path, uid, gid);
  }
}

export const KEPT_PROOF: readonly Row[] = [
  {
    id: "X19",
    title: "forge the proof that lets a server's first command run before its self-test",
    users: BOTH,
    aim: "evidence",
    ways: {
      "in the usual sandbox, where the state is open, where home is a scope": { does: driven(forges) },
    },
  },
];
