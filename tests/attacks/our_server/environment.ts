/** E: what commands inherit from the environment of the server. */
import { BOTH, type Place, type Row, type Scene, type ServerSetting, type Way } from "../frame/attack.ts";
import { driven, withOneControl, withServer } from "../frame/stage.ts";
import { own } from "../means/as_user.ts";
import { LED_INTO_PROJECT } from "./led_into_project.ts";

/** The variables of each row; one server has those of all rows, with the row's id in the values. */
const VARIABLES = {
  // Those the loader obeys before the server runs would end it: they name what is not there.
  E01: ["LD_LIBRARY_PATH", "GCONV_PATH", "LD_ORIGIN_PATH", "LD_DEBUG_OUTPUT", "DYLD_INSERT_LIBRARIES"],
  E02: ["BASH_ENV", "ENV", "PROMPT_COMMAND", "PS4", "BASH_FUNC_ls%%", "CDPATH", "SHELLOPTS", "BASHOPTS", "IFS"],
  E03: [
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_EXEC_PATH",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_0",
    "GIT_CONFIG_PARAMETERS",
    "GIT_ASKPASS",
    "GIT_TEMPLATE_DIR",
    "SSH_ASKPASS",
  ],
  E04: [
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PYTHONHOME",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "RUSTC_WRAPPER",
    "MAKEFLAGS",
    "CC",
    "NODE_PATH",
    "npm_config_script_shell",
  ],
  E05: [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "NPM_TOKEN",
    "DB_PASSWORD",
    "MY_SECRET",
    "LC_SECRET",
    "TZ_TOKEN",
  ],
  E06: [
    "SSH_AUTH_SOCK",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "TMUX",
    "VSCODE_IPC_HOOK_CLI",
    "DOCKER_HOST",
    "GPG_AGENT_INFO",
  ],
  E10: ["DENO_AUTH_TOKENS", "DENO_INSTALL_ROOT", "DENO_REPL_HISTORY", "NODE_REPL_HISTORY", "V8_FLAGS"],
} satisfies Readonly<Record<string, readonly string[]>>;

/** What must not arrive. It loads nothing: what it names is not there. */
function planted(id: keyof typeof VARIABLES): string {
  return `/planted-42-${id}`;
}

/** E08: what could say that the server is being tested, or is in a sandbox already. */
const OF_TESTS = {
  AHMA_TEST_MODE: "1",
  AHMA_TEST: "1",
  NEXTEST: "1",
  NEXTEST_EXECUTION_MODE: "process-per-test",
  CI: "true",
  CARGO_TARGET_DIR: "/tmp",
  DENO_TESTING: "1",
  NODE_ENV: "test",
  IN_SANDBOX: "1",
  CURSOR_SANDBOX: "1",
  SANDBOX_RUNTIME: "1",
  container: "docker",
};

const PLANTED: ServerSetting = {
  environment: {
    ...OF_TESTS,
    ...Object.fromEntries(
      Object.entries(VARIABLES).flatMap(([id, names]) => {
        return names.map((name) => [name, planted(id as keyof typeof VARIABLES)]); // of an object's own keys
      }),
    ),
  },
};

/** The variables are in the server's environment and in none of a command's; the control looks at the server's. */
function stays(id: keyof typeof VARIABLES): Readonly<Record<string, Way>> {
  const judge = {
    evidence: new RegExp(planted(id)),
    control: ({ server }: Place) => `tr '\\0' '\\n' < /proc/${server}/environ`,
    sharedServer: PLANTED,
  };
  return {
    "a shell": { does: () => "env; set", ...judge },
    "a program": { does: () => "cat /proc/self/environ /proc/1/environ | tr '\\0' '\\n'", ...judge },
  };
}

/** A server started with such variables must stay as tight as ever; where it `mayRefuse`, it may not start. */
function opensUp(
  environment: (scene: Scene) => Readonly<Record<string, string>>,
  { mayRefuse }: { readonly mayRefuse: boolean },
): Way {
  return {
    // The person's own choice of places is where the server keeps its own files.
    watch: () => [],
    does: driven(async (scene) => {
      try {
        return await withServer(scene, { environment: environment(scene) }, async (server, bench) => {
          bench.write(`${bench.elsewhere}/secret`, "told 42\n");
          bench.write(`${bench.home}/.ssh/id_ed25519`, "told 42\n");
          const { text } = await server.shell(
            `cat ${bench.elsewhere}/secret ${bench.home}/.ssh/id_ed25519; echo x > ${bench.elsewhere}/new`,
          );
          const read = text.includes("told 42") ? "a secret was read" : undefined;
          return bench.outside()[`${bench.elsewhere}/new`] === undefined ? read : "a file was written outside";
        });
      } catch (error) {
        if (mayRefuse && error instanceof Error && /It wrote:\n[^]*Cannot /.test(error.message)) return undefined;
        throw error;
      }
    }),
    control: driven(async (scene) => {
      const text = await own(scene, scene, `cat ${scene.secret}`);
      return text.includes(scene.marker) ? "a secret was read" : undefined;
    }),
  };
}

const STARTS = { mayRefuse: false };
const MAY_REFUSE = { mayRefuse: true };

/** What a command finds by name must not come from where commands can write. */
const FINDS_PLANTED: Way = {
  does: () => "cd ..; ls; env ls; only-here; env only-here",
  control: () => "cd .. && ./ls",
  evidence: /found 42/,
  sharedServer: LED_INTO_PROJECT,
};

export const ENVIRONMENT: readonly Row[] = [
  {
    id: "E01",
    title: "variables of the loader",
    users: BOTH,
    aim: "evidence",
    ways: stays("E01"),
  },
  {
    id: "E02",
    title: "variables of the shell",
    users: BOTH,
    aim: "evidence",
    ways: stays("E02"),
  },
  {
    id: "E03",
    title: "variables of git and ssh",
    users: BOTH,
    aim: "evidence",
    ways: stays("E03"),
  },
  {
    id: "E04",
    title: "variables of interpreters and build tools",
    users: BOTH,
    aim: "evidence",
    ways: stays("E04"),
  },
  {
    id: "E05",
    title: "secrets in the environment",
    users: BOTH,
    aim: "evidence",
    ways: stays("E05"),
  },
  {
    id: "E06",
    title: "addresses of agents, sessions and daemons",
    users: BOTH,
    aim: "evidence",
    ways: stays("E06"),
  },
  {
    id: "E07",
    title: "a PATH that leads into the project",
    users: BOTH,
    aim: "evidence",
    ways: { "a dot, empty and relative items": FINDS_PLANTED },
  },
  {
    id: "E08",
    title: "variables of tests",
    users: BOTH,
    aim: "read",
    ways: {
      "of tests, and of a sandbox of another program": {
        does: ({ secret, out }) => `cat ${secret} ~/.ssh/id_ed25519; echo x > ${out}/new`,
        sharedServer: PLANTED,
      },
    },
  },
  {
    id: "E09",
    title: "a scope, home or temp directory that is everything",
    users: BOTH,
    aim: "evidence",
    ways: withOneControl({
      "the root as the scope": opensUp(() => ({ AHMA_SANDBOX_SCOPE: "/" }), MAY_REFUSE),
      "a link to it": opensUp(({ directory }) => {
        const link = `${directory}/link`;
        Deno.symlinkSync("/", link);
        return { AHMA_SANDBOX_SCOPE: link };
      }, MAY_REFUSE),
      "an empty scope": opensUp(() => ({ AHMA_SANDBOX_SCOPE: "" }), MAY_REFUSE),
      "an empty home": opensUp(() => ({ HOME: "" }), MAY_REFUSE),
      "the root as the home and for what is temporary": opensUp(() => ({ HOME: "/", TMPDIR: "/" }), STARTS),
      "/etc, tool chains, certificates and XDG directories everywhere": opensUp(({ out, home }) => ({
        TMPDIR: "/etc",
        XDG_CACHE_HOME: out,
        XDG_CONFIG_HOME: out,
        XDG_RUNTIME_DIR: out,
        JAVA_HOME: "/",
        GOROOT: out,
        CONDA_PREFIX: "/tmp",
        NVM_DIR: "/tmp",
        SDKMAN_DIR: home,
        PYENV_ROOT: `${home}/.ssh`,
        SSL_CERT_DIR: "/",
        SSL_CERT_FILE: "/tmp",
        NODE_EXTRA_CA_CERTS: "/tmp",
      }), STARTS),
    }),
  },
  {
    id: "E10",
    title: "variables of the runtime",
    users: BOTH,
    aim: "evidence",
    ways: stays("E10"),
  },
  {
    id: "E11",
    title: "denials in another language",
    notApplicable: "what is told of denials is proven by the tests of S15; no defence reads messages",
  },
];
