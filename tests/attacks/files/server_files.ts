/** Rows about what servers keep: files of another session, the log, and flags that would open credentials. */
import { ServerProcess } from "../../_support/server_process.ts";
import { Workbench } from "../../_support/workbench.ts";
import type { Driven, Scene, Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { driven, together } from "../frame/stage.ts";
import { own } from "../means/as_user.ts";

/**
 * A server that is started with flags that would open the home: it must refuse, or keep the keys closed all the same.
 * The control is a shell of the user's own.
 */
export function holdsStill(flags: (bench: Workbench) => readonly string[]): Way {
  return { does: { drive: (scene) => readKeys(scene, flags) }, aim: "evidence" };
}

async function readKeys(scene: Scene, flags: (bench: Workbench) => readonly string[]): Promise<Driven> {
  using bench = new Workbench(scene.user);
  const marker = newMarker();
  bench.write(`${bench.home}/.ssh/id_ed25519`, `${marker}\n`);
  const line = `cat ${bench.home}/.ssh/id_ed25519; grep -rs . ${bench.home}/.ssh`;
  const text = scene.enforced ? await toldUnder(bench, flags(bench), line) : await own(scene, bench, line);
  return { achieved: text.includes(marker) ? "a key of the home was read" : undefined };
}

/** A refusal to start is a defence like any other; it is one only where the program says so itself. */
async function toldUnder(bench: Workbench, flags: readonly string[], line: string): Promise<string> {
  try {
    await using server = await ServerProcess.start(bench, { flags });
    return (await server.shell(line)).text;
  } catch (error) {
    if (error instanceof Error && /It wrote:\n[^]*Cannot (use|open|allow)/.test(error.message)) return "";
    throw error;
  }
}

/** Ways into what another server of the same user, in another project, keeps. */
export function serverFiles(): Readonly<Record<string, Way>> {
  return {
    "the temp directory, cache and project of another session": {
      does: driven((scene) => besideAnother(scene)),
      noControl: "a shell of the user's own reads each of them in the attempt",
    },
    "the log": {
      does: () => `cat ~/.cache/ahma_mcp/logs/*`,
      evidence: /^\S+Z? .*(info|INFO|warn|WARN|INF|WRN)/m,
    },
  };
}

/** What prints a directory of a session. */
const PLACES: Readonly<Record<string, string>> = {
  "its temp directory": "echo $TMPDIR",
  "its cache": "mkdir -p $CARGO_HOME && echo $CARGO_HOME",
  "its project": "pwd",
};

/** Starts another server, has it put a secret into its directories, and attacks these from here. */
async function besideAnother(scene: Scene): Promise<string | undefined> {
  using bench = new Workbench(scene.user);
  await using server = await ServerProcess.start(bench);
  return await together(scene, PLACES, async (where) => {
    const { text } = await server.shell(where);
    const kept = /^\/\S+$/m.exec(text)?.[0];
    if (kept === undefined) throw new Error(`The other session named no directory: ${text}`);
    const marker = newMarker();
    await server.shell(`echo ${marker} > ${kept}/kept`);
    const line = `cat ${kept}/kept; ls ${kept}; echo x > ${kept}/planted`;
    const here = await scene.running.shell(line, { working_directory: scene.directory, timeout_seconds: 20 });
    const outside = await own(scene, scene, line);
    if (!outside.includes(marker)) throw new Error(`Without the sandbox "${kept}" cannot be read either: ${outside}`);
    return here.text.includes(marker) ? `"${kept}" was read` : undefined;
  });
}
