/** Ways in which what a session was given becomes something else: each with servers and places of its own. */
import { until } from "../../_support/deadline.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import type { Scene, Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { driven, together } from "../frame/stage.ts";
import { own } from "../means/as_user.ts";
import { withLines } from "../means/lines.ts";

const LOOT = "cat secret ./secret; ls; echo x > planted; true";

/** Lines in a project that the test can take away, and a place outside with a secret. */
interface Project {
  /** In the project, unless the call, which a control knows nothing of, says otherwise; gives what the line prints. */
  readonly run: (line: string, call?: object) => Promise<string>;
  readonly path: string;
  readonly outside: string;
}

/** Runs `act`, which gives what lines printed, and says what they got out of the place outside, or left in it. */
function inProject(act: (project: Project) => Promise<string>): Way {
  const places = ({ elsewhere }: Workbench) => ({ path: `${elsewhere}/project`, outside: `${elsewhere}/outside` });
  return {
    does: driven((scene) => {
      const marker = newMarker();
      return withLines(scene, {
        prepare: (bench) => {
          const { path, outside } = places(bench);
          bench.write(`${path}/kept`, "");
          bench.write(`${outside}/secret`, `${marker}\n`);
        },
        flags: (bench) => ["--sandbox-scope", places(bench).path],
      }, async (lines, bench) => {
        const { path, outside } = places(bench);
        const directory = scene.enforced ? undefined : path;
        const run: Project["run"] = async (line, call = {}) => (await lines.run(line, directory, call)).text;
        if ((await act({ run, path, outside })).includes(marker)) return "the secret of the place outside was read";
        return exists(`${outside}/planted`) ? "a file was made in the place outside" : undefined;
      });
    }),
  };
}

/** L07: first a link to the place outside, then calls with and without a working directory. */
export function replacedByLink(): Way {
  return inProject(async ({ run, path, outside }) => {
    const before = await run("ls");
    if (!before.includes("kept")) throw new Error(`The project is not the scope: ${before}`);
    await Deno.rename(path, `${path}-away`);
    await Deno.symlink(outside, path);
    const calls = [{}, {}, { working_directory: path }, { stdin: "" }, { working_directory: "." }];
    const answers = [];
    for (const call of calls) answers.push(await run(LOOT, call));
    return answers.join("\n");
  });
}

/** L15: another directory, no link, takes the scope's name. */
export function identityOfTheScope(): Way {
  return inProject(async ({ run, path, outside }) => {
    await run("ls");
    await Deno.rename(path, `${path}-away`);
    await Deno.rename(outside, path);
    const text = await run(LOOT);
    const again = await run(LOOT, { stdin: "" });
    await Deno.rename(path, outside);
    return `${text}\n${again}`;
  });
}

/** L15: a command runs while its scope goes away and a link comes in its place. */
export function removedWhileRunning(): Way {
  return inProject(async ({ run, path, outside }) => {
    const line = `mkfifo told; exec 3<>told; echo > ready; read -r _ <&3; cat ${path}/secret; echo x > ${path}/planted`;
    const running = run(line);
    await until(() => exists(`${path}/ready`), 20_000, "the command to run");
    using told = await Deno.open(`${path}/told`, { read: true, write: true });
    await Deno.remove(path, { recursive: true });
    await Deno.symlink(outside, path);
    await told.write(new TextEncoder().encode("go on\n"));
    return await running;
  });
}

/** L13: files and directories of a tree that may only be read. */
export function movedIntoScope(): Readonly<Record<string, Way>> {
  const attempts: Readonly<Record<string, (tree: string) => string>> = {
    "a hard link, then a write": (tree) => `ln ${tree}/file hard; echo x >> hard`,
    "mode": (tree) => `chmod 777 ${tree}/file`,
    "a file": (tree) => `mv ${tree}/file .`,
    "a directory": (tree) => `mv ${tree} .`,
  };
  const tree = ({ elsewhere }: Workbench, name: string) => `${elsewhere}/read/${name.replaceAll(/\W/g, "-")}`;
  const does = driven((scene) =>
    withLines(scene, {
      prepare: (bench) => {
        for (const name of Object.keys(attempts)) {
          bench.write(`${tree(bench, name)}/file`, "as it was\n");
        }
      },
      flags: ({ elsewhere }) => ["--read", `${elsewhere}/read`],
    }, (lines, bench) =>
      together(scene, Object.fromEntries(Object.keys(attempts).map((name) => [name, name])), async (name) => {
        const before = JSON.stringify(bench.outside());
        await lines.run(attempts[name]?.(tree(bench, name)) ?? "");
        return JSON.stringify(bench.outside()) === before ? undefined : "what may only be read was changed";
      }))
  );
  return { "hard link, mode, file, directory": { does } };
}

/** L10, L11: the name of a project's cache is known, and what lies there is a link when the next server starts. */
export function cacheReplaced(): Readonly<Record<string, Way>> {
  return {
    "the project's cache": {
      does: driven((scene) => plantsAlong(scene, cacheOf)),
      control: driven((scene) => plantsAlong(scene, ({ home }) => Promise.resolve(`${home}/cache`))),
    },
    "TMPDIR, XDG_CACHE_HOME and XDG_STATE_HOME in the scope": ownPlaces(["TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"]),
  };
}

/** The cache is a link when the lines begin: whether they write where it leads. */
async function plantsAlong(
  scene: Scene,
  cacheOf: (bench: Workbench) => Promise<string>,
): Promise<string | undefined> {
  using bench = new Workbench(scene.user);
  const cache = await cacheOf(bench);
  if (exists(cache)) await Deno.rename(cache, `${cache}-away`);
  bench.write(`${bench.elsewhere}/target/cargo/kept`, "");
  await Deno.symlink(`${bench.elsewhere}/target`, cache);
  const line = `echo x > ${cache}/planted; echo x > ${cache}/cargo/planted; echo x > $CARGO_HOME/planted`;
  if (scene.enforced) {
    await using server = await ServerProcess.start(bench);
    await server.shell(line);
  } else await own(scene, bench, line);
  const found = ["planted", "cargo/planted"].find((name) => exists(`${bench.elsewhere}/target/${name}`));
  return found === undefined ? undefined : "a file was made where the link leads";
}

/** What each variable names is a link in the scope to a place outside: the server must make nothing of its own along it. */
function ownPlaces(variables: readonly string[]): Way {
  return {
    does: driven(async (scene) => {
      using bench = new Workbench(scene.user);
      for (const name of variables) {
        bench.write(`${bench.elsewhere}/${name}/kept`, "");
        await Deno.symlink(`${bench.elsewhere}/${name}`, `${bench.scope}/${name}`);
      }
      const led = variables.map((name) => [name, `${bench.scope}/${name}`]);
      await using server = await ServerProcess.start(bench, { environment: Object.fromEntries(led) });
      await server.shell("echo x > $TMPDIR/x; echo x > $CARGO_HOME/x");
      return await together(scene, Object.fromEntries(variables.map((name) => [name, name])), (name) => {
        const made = namesIn(`${bench.elsewhere}/${name}`).filter((one) => one !== "kept");
        return Promise.resolve(made.length === 0 ? undefined : `the server made ${made.join(", ")} along the link`);
      });
    }),
    noControl: "it is the server that would be led astray, with its sandbox or without",
  };
}

async function cacheOf(bench: Workbench): Promise<string> {
  await using server = await ServerProcess.start(bench);
  const { text } = await server.shell("mkdir -p $CARGO_HOME; echo $CARGO_HOME");
  const cache = /^(\/\S+)\/cargo$/m.exec(text)?.[1];
  if (cache === undefined) throw new Error(`No cache was named: ${text}`);
  return cache;
}

/** L17: the mount is made before the server starts, as an administrator would. */
export function mountedInScope(): Way {
  return {
    does: {
      drive: async (scene) => {
        const target = `${scene.directory}/mounted`;
        await Deno.mkdir(target);
        await run("mount", ["--bind", scene.out, target]);
        try {
          const flags = () => ["--sandbox-scope", scene.directory];
          await withLines(scene, { flags }, (lines) => lines.run("echo x > mounted/planted", scene.directory));
          return {};
        } finally {
          await run("umount", [target]);
        }
      },
    },
    needs: { machine: withoutMounts },
  };
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  if (!success) throw new Error(`${command} failed: ${new TextDecoder().decode(stderr)}`);
}

function withoutMounts(): string | undefined {
  const { success } = new Deno.Command("unshare", { args: ["--mount", "true"], stderr: "null" }).outputSync();
  return success ? undefined : "root may not mount here";
}

function namesIn(path: string): readonly string[] {
  return [...Deno.readDirSync(path)].map(({ name }) => name);
}
