/** V01 to V06: a stdio server behind the program that means harm to the machine, its files and its neighbours. */
import { until } from "../../_support/deadline.ts";
import { killIfThere, processesWith } from "../../_support/processes.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import { BOTH, type Call, type Place, type Row, type Scene, type Way } from "../frame/attack.ts";
import { driven, newSeed, withServer } from "../frame/stage.ts";
import { BEHIND, behindUs } from "./hostile_server.ts";

/** The hostile server runs this line. */
function runs(line: (place: Place) => string, more: Partial<Way> = {}): Way {
  const does = (place: Place): readonly Call[] => [{ tool: "evil_run", arguments: { line: line(place) } }];
  return { does, sharedServer: BEHIND, ...more };
}

const OTHERS_SECRET = /other-[0-9a-f-]{36}/;
const STATE = ".local/state/ahma";

/** A login as the program keeps it, with the marker as its token. */
function keepLogin({ home, marker }: Place, give: (path: string) => void): void {
  const directories = [".local", ".local/state", STATE, `${STATE}/oauth`].map((path) => `${home}/${path}`);
  for (const directory of directories) {
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    give(directory);
  }
  const file = `${home}/${STATE}/oauth/${marker.slice(0, 8)}.json`;
  Deno.writeTextFileSync(file, JSON.stringify({ tokens: { access_token: marker } }), { mode: 0o600 });
  give(file);
}

/** What the machine and its files are safe from: the kernel decides, so that root's rights could make a difference. */
export const STDIO_SERVERS: readonly Row[] = [
  {
    id: "V01",
    title: "a server reads outside its policy",
    users: BOTH,
    aim: "read",
    ways: {
      "a file outside": runs(({ secret }) => `cat ${secret}`),
      "credentials": runs(({ home }) => `cat ${home}/.ssh/id_ed25519 ${home}/.netrc ${home}/.aws/credentials`),
      "our environment": runs(({ server }) => `cat /proc/${server}/environ`),
      "a descriptor of another process": runs(({ victim }) => `cat /proc/${victim}/fd/3`, { victim: true }),
      "a link of its own": runs(({ secret }) => `ln -sf ${secret} ~/link-$$; cat ~/link-$$`),
    },
  },
  {
    id: "V02",
    title: "a server writes outside its policy",
    users: BOTH,
    aim: "write",
    ways: {
      "a file outside": runs(({ out, secret }) => `echo x > ${out}/planted; chmod 777 ${secret}; rm -f ${out}/script`),
      "the scope, which it only reads": runs(({ directory }) => `echo x > ${directory}/planted`, {
        watch: ({ directory }) => [directory],
      }),
      "what a person approved": runs(({ home }) => `echo x > ${home}/${STATE}/servers/planted-$$`, {
        watch: ({ home }) => [`${home}/${STATE}/servers`],
      }),
    },
  },
  {
    id: "V03",
    title: "a server gets another server's secret",
    users: BOTH,
    aim: "evidence",
    ways: {
      "its environment": runs(() => "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -a ^OTHER= | sort -u", {
        evidence: bothSecrets,
      }),
      "its home": runs(() => "cat ~/../*/note", { evidence: OTHERS_SECRET }),
      "the file that configures it": runs(({ parent }) => `cat ${parent}/mcp.json`, { evidence: OTHERS_SECRET }),
    },
  },
  {
    id: "V04",
    title: "a server gets a login",
    users: BOTH,
    aim: "read",
    ways: {
      "the file": runs(({ home }) => `cat ${home}/${STATE}/oauth/*`, { prepare: keepLogin }),
      "the program's home as its own": runs(({ home }) => `HOME=${home} cat ~/../../../../state/ahma/oauth/*`, {
        prepare: keepLogin,
      }),
    },
  },
  {
    id: "V05",
    title: "a server harms other processes",
    users: BOTH,
    aim: "victim",
    ways: { "signals": runs(({ victim }) => `kill -STOP ${victim}; renice 19 ${victim}`, { victim: true }) },
  },
  {
    id: "V07",
    title: "a link of a server leads to a file outside",
    users: BOTH,
    aim: "evidence",
    ways: {
      "followed as the client got it": { does: driven(followsLink), sharedServer: BEHIND },
      "asked for by the file's own address": {
        does: driven(({ running, ...place }) => reads(running, `file://${place.secret}`, place.marker)),
        control: driven(followsLink),
        sharedServer: BEHIND,
      },
    },
  },
  {
    id: "V06",
    title: "what a server leaves outlives it",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a daemon in a session of its own": {
        does: driven(outlives),
        control: driven(daemonOfTheTest),
        sharedServer: BEHIND,
      },
    },
  },
];

/** Its own secret is in its environment. */
function bothSecrets({ text }: { readonly text: string }): string | undefined {
  const secrets = new Set(text.match(new RegExp(OTHERS_SECRET, "g")));
  return secrets.size > 1 ? [...secrets].join(" ") : undefined;
}

function daemon(seed: string): string {
  return `setsid sh -c 'trap "" HUP TERM INT; sleep 300.${seed} & sleep 300.${seed}' >&- 2>&- &`;
}

async function outlives(scene: Scene): Promise<string | undefined> {
  const seed = newSeed();
  await withServer(scene, { flags: behindUs({ evil: "shell" }) }, async (server, bench) => {
    await server.call("evil_run", { line: `${daemon(seed)} echo` });
    await bench.processesAppear(seed);
  });
  return (await processesWith(`300.${seed}`)).length > 0 ? "the daemon lives" : undefined;
}

/** The server links to the secret, and the client reads what it got. */
async function followsLink({ running, secret, marker }: Scene): Promise<string | undefined> {
  const { result } = await running.call("evil_link", { uri: `file://${secret}` });
  const [part] = result["content"] as readonly { readonly uri: string }[]; // the one part that the script sends
  return await reads(running, part?.uri ?? "", marker);
}

async function reads(running: ServerProcess, uri: string, marker: string): Promise<string | undefined> {
  const text = JSON.stringify(await running.request("resources/read", { uri }));
  return text.includes(marker) ? `"${uri}" was read` : undefined;
}

/** The same line, run where no program ends it; the shell may not have started all of it at the first look. */
async function daemonOfTheTest(): Promise<string | undefined> {
  const seed = newSeed();
  await new Deno.Command("/bin/sh", { args: ["-c", daemon(seed)], stdin: "null" }).output();
  let isThere = false;
  const isGone = async () => {
    const left = await processesWith(`300.${seed}`);
    for (const { pid } of left) killIfThere(pid);
    isThere ||= left.length > 0;
    return isThere && left.length === 0;
  };
  await until(isGone, 10_000, "the daemon, and its end");
  return "the daemon lives";
}
