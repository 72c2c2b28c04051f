/** Ways in which what a session was given becomes something else: each with servers and places of its own. */
import { until } from "../../_support/deadline.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import type { Driven, Scene, Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { driven, together } from "../frame/stage.ts";

const LOOT = "cat secret ./secret; ls; echo x > planted; true";

/** A server in a project that the test can take away, and a place outside with a secret. */
interface Project {
  readonly bench: Workbench;
  readonly server: ServerProcess;
  readonly path: string;
  readonly outside: string;
  readonly marker: string;
}

/** Runs `act` and says what it got out of the place outside, or left in it. */
async function inProject(scene: Scene, act: (project: Project) => Promise<string>): Promise<Driven> {
  using bench = new Workbench(scene.user);
  const marker = newMarker();
  const path = `${bench.elsewhere}/project`;
  const outside = `${bench.elsewhere}/outside`;
  bench.write(`${path}/kept`, "");
  bench.write(`${outside}/secret`, `${marker}\n`);
  const flags = scene.enforced ? [] : ["--no-sandbox"];
  await using server = await ServerProcess.start(bench, { flags: ["--sandbox-scope", path, ...flags] });
  const text = await act({ bench, server, path, outside, marker });
  return { achieved: loot(text, { marker, outside }) };
}

function loot(text: string, { marker, outside }: Pick<Project, "marker" | "outside">): string | undefined {
  if (text.includes(marker)) return "the secret of the place outside was read";
  return exists(`${outside}/planted`) ? "a file was made in the place outside" : undefined;
}

/** L07: first a link to the place outside, then calls with and without a working directory. */
export function replacedByLink(): Way {
  const act = async ({ server, path, outside }: Project) => {
    const before = await server.shell("ls");
    if (!before.text.includes("kept")) throw new Error(`The project is not the scope: ${before.text}`);
    await Deno.rename(path, `${path}-away`);
    await Deno.symlink(outside, path);
    const calls = [{}, {}, { working_directory: path }, { stdin: "" }, { working_directory: "." }];
    const answers = [];
    for (const call of calls) answers.push((await server.shell(LOOT, call)).text);
    return answers.join("\n");
  };
  return { does: { drive: (scene) => inProject(scene, act) } };
}

/** L15: another directory, no link, takes the scope's name. */
export function identityOfTheScope(): Way {
  const act = async ({ server, path, outside }: Project) => {
    await server.shell("ls");
    await Deno.rename(path, `${path}-away`);
    await Deno.rename(outside, path);
    const { text } = await server.shell(LOOT);
    const again = await server.shell(LOOT, { stdin: "" });
    await Deno.rename(path, outside);
    return `${text}\n${again.text}`;
  };
  return { does: { drive: (scene) => inProject(scene, act) } };
}

/** L15: a command runs while its scope goes away and a link comes in its place. */
export function removedWhileRunning(): Way {
  const act = async ({ server, path, outside }: Project) => {
    const line = `mkfifo told; exec 3<>told; echo > ready; read -r _ <&3; cat ${path}/secret; echo x > ${path}/planted`;
    const running = server.shell(line);
    await until(() => exists(`${path}/ready`), 20_000, "the command to run");
    using told = await Deno.open(`${path}/told`, { read: true, write: true });
    await Deno.remove(path, { recursive: true });
    await Deno.symlink(outside, path);
    await told.write(new TextEncoder().encode("go on\n"));
    return (await running).text;
  };
  return { does: { drive: (scene) => inProject(scene, act) } };
}

/** L13: files and directories of a tree that may only be read. */
export function movedIntoScope(): Readonly<Record<string, Way>> {
  const lines: Readonly<Record<string, (tree: string) => string>> = {
    "a hard link, then a write": (tree) => `ln ${tree}/file hard; echo x >> hard`,
    "mode": (tree) => `chmod 777 ${tree}/file`,
    "a file": (tree) => `mv ${tree}/file .`,
    "a directory": (tree) => `mv ${tree} .`,
  };
  const drive = async (scene: Scene): Promise<Driven> => {
    using bench = new Workbench(scene.user);
    const trees = Object.keys(lines).map((_, index) => `${bench.elsewhere}/read/${index}`);
    for (const tree of trees) bench.write(`${tree}/file`, "as it was\n");
    const flags = scene.enforced ? ["--read", `${bench.elsewhere}/read`] : ["--no-sandbox"];
    await using server = await ServerProcess.start(bench, { flags });
    const changed: string[] = [];
    for (const [index, [name, line]] of Object.entries(lines).entries()) {
      const before = JSON.stringify(bench.outside());
      await server.shell(line(trees[index] ?? ""));
      if (JSON.stringify(bench.outside()) !== before) changed.push(name);
    }
    // Without the sandbox each of them must have its effect, not just one.
    const enough = scene.enforced ? changed.length > 0 : changed.length === trees.length;
    return { achieved: enough ? `what may only be read was changed by ${changed.join(", ")}` : undefined };
  };
  return { "hard link, mode, file, directory": { does: { drive } } };
}

/** L10, L11: the name of a project's cache is known, and what lies there is a link when the next server starts. */
export function cacheReplaced(): Readonly<Record<string, Way>> {
  return {
    "the project's cache": {
      does: {
        drive: async (scene) => {
          using bench = new Workbench(scene.user);
          const flags = scene.enforced ? [] : ["--no-sandbox"];
          const cache = await cacheOf(bench, flags);
          await Deno.rename(cache, `${cache}-away`);
          bench.write(`${bench.elsewhere}/target/cargo/kept`, "");
          await Deno.symlink(`${bench.elsewhere}/target`, cache);
          await using server = await ServerProcess.start(bench, { flags });
          await server.shell(
            `echo x > ${cache}/planted; echo x > ${cache}/cargo/planted; echo x > $CARGO_HOME/planted`,
          );
          const found = ["planted", "cargo/planted"].find((name) => exists(`${bench.elsewhere}/target/${name}`));
          return { achieved: found === undefined ? undefined : "a file was made where the link leads" };
        },
      },
    },
    "TMPDIR, XDG_CACHE_HOME and XDG_STATE_HOME in the scope": ownPlaces(["TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"]),
  };
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

async function cacheOf(bench: Workbench, flags: readonly string[]): Promise<string> {
  await using server = await ServerProcess.start(bench, { flags });
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
          using bench = new Workbench(scene.user);
          const flags = ["--sandbox-scope", scene.directory, ...scene.enforced ? [] : ["--no-sandbox"]];
          await using server = await ServerProcess.start(bench, { flags });
          return { answers: [await server.shell("echo x > mounted/planted")] };
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
