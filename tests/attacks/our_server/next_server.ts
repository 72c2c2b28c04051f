/** C17: what one server's commands leave for the next server to obey. */
import { ServerProcess } from "../../_support/server_process.ts";
import { Workbench } from "../../_support/workbench.ts";
import { python, type Scene, type Way } from "../frame/attack.ts";
import { driven, withOneControl } from "../frame/stage.ts";

/** Starts a server, lets a command write, and starts another in the same place: it must be as tight as the first. */
async function loosensNext(
  scene: Scene,
  line: string,
  opened: (bench: Workbench) => readonly string[] = () => [],
): Promise<string | undefined> {
  using bench = new Workbench(scene.user);
  bench.write(`${bench.elsewhere}/secret`, "told 42\n");
  const ask = async (command: string, flags: readonly string[]) => {
    await using server = await ServerProcess.start(bench, {
      flags: [...flags, ...scene.enforced ? [] : ["--no-sandbox"]],
    });
    return (await server.shell(command)).text;
  };
  await ask(line, opened(bench));
  const text = await ask(`cat ${bench.elsewhere}/secret`, []);
  return text.includes("told 42") ? "the next server was opened" : undefined;
}

const USER_SETTINGS = `mkdir -p ~/.config/ahma; echo '{"no_sandbox":true}' > ~/.config/ahma/settings.json`;

function chownLike(path: string, other: string): void {
  const { uid, gid } = Deno.statSync(other);
  Deno.chownSync(path, uid, gid);
}

const SETTINGS = {
  no_sandbox: true,
  sandbox_scope: "/",
  allow_broad_scope: true,
  read: "/",
  write: "/",
  env: "ATTACKED_TOKEN",
  network: "full",
  unix_sockets: "allow",
};

/** A server without a sandbox reads the secret whatever was left for it. */
export const LOOSENED: Readonly<Record<string, Way>> = withOneControl({
  "the project's and the user's settings, variables": {
    does: driven((scene) =>
      loosensNext(
        scene,
        [
          `mkdir -p .ahma; echo '${JSON.stringify(SETTINGS)}' > .ahma/settings.json`,
          "echo 'AHMA_NO_SANDBOX=1' > .env; echo 'export AHMA_NO_SANDBOX=1' | tee .envrc > .bashrc",
          USER_SETTINGS,
        ].join("\n"),
      )
    ),
  },
  "the user's settings, in a private home": {
    does: driven((scene) => loosensNext(scene, USER_SETTINGS, () => ["--private-home"])),
  },
  "the user's settings, in the scope": {
    does: driven((scene) =>
      loosensNext(scene, USER_SETTINGS, ({ home, scope }) => {
        Deno.mkdirSync(`${home}/.config`);
        chownLike(`${home}/.config`, home);
        return ["--sandbox-scope", scope, "--sandbox-scope", `${home}/.config`];
      })
    ),
  },
  "the user's settings, in a home that is the scope": {
    does: driven((scene) =>
      loosensNext(
        scene,
        `mv ~/.config ~/old; ${USER_SETTINGS}`,
        ({ home, scope }) => ["--allow-broad-scope", "--sandbox-scope", scope, "--sandbox-scope", home],
      )
    ),
  },
});

/** What the next server reads before its first command must not stop it. */
async function stopsNext(scene: Scene, program: string): Promise<string | undefined> {
  using bench = new Workbench(scene.user);
  const flags = scene.enforced ? [] : ["--no-sandbox"];
  {
    await using server = await ServerProcess.start(bench, { flags });
    await server.shell(python(program));
  }
  try {
    await using server = await ServerProcess.start(bench, { flags });
    const { text } = await server.shell("echo alive $((6 * 7))");
    return text.includes("alive 42") ? undefined : `the next server runs nothing: ${text}`;
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return `the next server does not start: ${thrown.message.slice(0, 200)}`;
  }
}

const PLANT = `import os
def plant(path, text):
  os.makedirs(os.path.dirname(path), exist_ok=True)
  open(path, "w").write(text)
`;

/** X17: each made a server fail at its start, or take for ever. */
export const STOPPED: Readonly<Record<string, Way>> = Object.fromEntries(
  Object.entries({
    "a name too long in git's configuration, blanks in a repository below, a settings file of mistakes":
      `plant(".git/config", "[core]\\n\\thooksPath = " + "x/" * 500000)
plant("a/b/.git/config", "[core]\\n\\thooksPath =" + " " * 1000000 + "x")
plant(".ahma/settings.json", "{" + ",".join(f'"k{i}":1' for i in range(5000)) + "}")`,
    "blanks in git's configuration": `plant(".git/config", "[core]\\n\\thooksPath =" + " " * 1000000 + "x")`,
    "many names": `plant(".git/config", "".join(f"path = p{i}\\n" for i in range(100000)))`,
  }).map(([name, program]): [string, Way] => [name, {
    does: driven((scene) => stopsNext(scene, PLANT + program)),
    noControl: "without a sandbox the server does not read most of them",
  }]),
);
