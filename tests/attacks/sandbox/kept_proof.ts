/** X, continued: the proof that lets a server's first command run before its self-test. */
import { until } from "../../_support/deadline.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row, type Way } from "../frame/attack.ts";
import { driven, together, withOneControl } from "../frame/stage.ts";

const FORGED = "forged 42";

/** Writes the proof of its server, or puts another in its place; `flags`: of that server. */
function forges(flags: (bench: Workbench) => readonly string[]): Way {
  return {
    does: driven(async (scene) => {
      using bench = new Workbench(scene.user);
      const directory = `${bench.home}/.local/state/ahma/proofs`;
      const file = `${directory}/self-test`;
      await provenBy(bench, file);
      const kept = await Deno.readTextFile(file);
      const enforced = scene.enforced ? flags(bench) : ["--no-sandbox"];
      await using server = await ServerProcess.start(bench, { flags: enforced });
      const forge = `(umask 077; echo '${FORGED}' > ${file})`;
      const lines = {
        "write it": forge,
        "replace it": `echo '${FORGED}' > ${file}.new && mv ${file}.new ${file}`,
        "exchange its directory": `mv ${directory} ${directory}.old && mkdir -m 700 ${directory} && ${forge}`,
        "exchange the state": `mv ${bench.home}/.local/state/ahma ~/aside && mkdir -m 700 -p ${directory} && ${forge}`,
        "a second name": `ln ${file} here && echo '${FORGED}' > here`,
      };
      return await together(scene, lines, async (line) => {
        await server.shell(`${line}; true`);
        const now = exists(file) ? await Deno.readTextFile(file) : FORGED;
        if (now !== kept) restore(file, kept);
        return now.includes(FORGED) ? now : undefined;
      });
    }),
  };
}

/** An honest server leaves it, and the control has it too. */
async function provenBy(bench: Workbench, file: string): Promise<void> {
  await using server = await ServerProcess.start(bench);
  await server.shell("true");
  await until(() => exists(file), 20_000, "the proof");
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
    ways: withOneControl({
      "the usual sandbox": forges(() => []),
      "the state beside it is open": forges((bench) => ["--write", `${bench.home}/.local/state`]),
      "home is a scope": forges((bench) => ["--sandbox-scope", bench.home, "--allow-broad-scope"]),
    }),
  },
];
