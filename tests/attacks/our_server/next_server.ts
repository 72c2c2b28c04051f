/** C17: what one server's commands leave for the next server to obey. */
import { ServerProcess } from "../../_support/server_process.ts";
import { exists, Workbench } from "../../_support/workbench.ts";
import { python, type Scene, type Way } from "../frame/attack.ts";
import { driven } from "../frame/stage.ts";
import { own } from "../means/as_user.ts";

interface Loosening {
  readonly line: string;
  /** Flags of the server that runs it; may make what they name. */
  readonly opened: (bench: Workbench) => readonly string[];
}

/** Servers whose commands write, in turn, and then one in the same place: it must be as tight as the first. */
async function loosensNext(scene: Scene): Promise<string | undefined> {
  using bench = new Workbench(scene.user);
  bench.write(`${bench.elsewhere}/secret`, "told 42\n");
  const ask = async (command: string, flags: readonly string[] = []) => {
    await using server = await ServerProcess.start(bench, { flags });
    return (await server.shell(command)).text;
  };
  const reads = `cat ${bench.elsewhere}/secret`;
  if (scene.enforced) { for (const { line, opened } of LOOSENINGS) await ask(line, opened(bench)); }
  const text = await (scene.enforced ? ask(reads) : own(scene, bench, reads));
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

/** What each leaves lies where the next server would read it; none takes back what one before it has left. */
const LOOSENINGS: readonly Loosening[] = [
  {
    line: [
      `mkdir -p .ahma; echo '${JSON.stringify(SETTINGS)}' > .ahma/settings.json`,
      "echo 'AHMA_NO_SANDBOX=1' > .env; echo 'export AHMA_NO_SANDBOX=1' | tee .envrc > .bashrc",
      USER_SETTINGS,
    ].join("\n"),
    // C12 writes the user's settings where home is the user's.
    opened: () => ["--private-home"],
  },
  {
    line: `mv ~/.config ~/old; ${USER_SETTINGS}`,
    opened: ({ home, scope }) => ["--allow-broad-scope", "--sandbox-scope", scope, "--sandbox-scope", home],
  },
  {
    line: USER_SETTINGS,
    opened: ({ home, scope }) => {
      Deno.mkdirSync(`${home}/.config`, { recursive: true });
      chownLike(`${home}/.config`, home);
      return ["--sandbox-scope", scope, "--sandbox-scope", `${home}/.config`];
    },
  },
];

/** A shell of the user's own reads the secret whatever was left. */
export const LOOSENED: Readonly<Record<string, Way>> = {
  "the project's and the user's settings, variables; in a private home, in a home or in settings that are a scope": {
    does: driven(loosensNext),
  },
};

/** What one server's commands leave, and the next reads before its first command, must not stop it. */
async function stopsNext(scene: Scene): Promise<string | undefined> {
  using bench = new Workbench(scene.user);
  {
    await using server = await ServerProcess.start(bench);
    await server.shell(python(PLANTED));
    // Its `.git` is set aside: a link is in its place.
    if (!exists(`${bench.scope}/.git`)) throw new Error("Nothing was planted");
  }
  try {
    await using next = await ServerProcess.start(bench);
    const { text } = await next.shell("echo alive $((6 * 7))");
    return text.includes("alive 42") ? undefined : `the next server runs nothing: ${text}`;
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return `the next server does not start: ${thrown.message.slice(0, 200)}`;
  }
}

/** Each line of git's configuration, and each other file, made a server fail at its start, or take for ever. */
const PLANTED = `import os
def plant(path, text):
  os.makedirs(os.path.dirname(path), exist_ok=True)
  open(path, "w").write(text)
blanks = "\\thooksPath =" + " " * 1000000 + "x\\n"
many = "".join(f"path = p{i}\\n" for i in range(100000))
plant(".git/config", "[core]\\n\\thooksPath = " + "x/" * 500000 + "\\n" + blanks + many)
plant("a/b/.git/config", "[core]\\n" + blanks)
plant(".ahma/settings.json", "{" + ",".join(f'"k{i}":1' for i in range(5000)) + "}")
`;

/** X17. */
export const STOPPED: Readonly<Record<string, Way>> = {
  "long and many names, blanks in git's configuration, there and below; a settings file of mistakes": {
    does: driven(stopsNext),
    noControl: "without a sandbox the server does not read most of them",
  },
};
