/** C17: what one server's commands leave for the next server to obey. */
import { ServerProcess } from "../_support/server_process.ts";
import { Workbench } from "../_support/workbench.ts";
import type { Scene, Way } from "./attack.ts";
import { driven } from "./stage.ts";

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
      // Where home is the scope, the runtime's cache would lie in it.
      environment: { DENO_DIR: "/proc/none" },
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

export const LOOSENED: Readonly<Record<string, Way>> = {
  "the project's settings": {
    does: driven((scene) =>
      loosensNext(scene, `mkdir -p .ahma; echo '${JSON.stringify(SETTINGS)}' > .ahma/settings.json`)
    ),
  },
  "variables": {
    does: driven((scene) =>
      loosensNext(scene, "echo 'AHMA_NO_SANDBOX=1' > .env; echo 'export AHMA_NO_SANDBOX=1' | tee .envrc > .bashrc")
    ),
  },
  "the user's settings": { does: driven((scene) => loosensNext(scene, USER_SETTINGS)) },
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
};
