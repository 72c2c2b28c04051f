/** I: the private socket by which people join operations (X24). A command that could use it would type into others. */
import { until } from "../../_support/deadline.ts";
import { exists } from "../../_support/workbench.ts";
import { BOTH, python, type Row, type ServerSetting, type Way } from "../frame/attack.ts";
import { driven, withOneControl } from "../frame/stage.ts";
import { REFUSING_NAMESPACES } from "../means/unusual_start.ts";

/** Allows less than another way of its row. */
function less(way: Way): Way {
  return { ...way, extended: true };
}

/** Asks at each socket as `ahma_mcp attach` does, with its token where that can be read, else with another. */
function asking(sockets: readonly string[]): string {
  return python(`import json, socket
for path in ${JSON.stringify(sockets)}:
    try:
        token = open(path[:-4] + "token").read()
    except OSError:
        token = "0" * 64
    try:
        line = socket.socket(socket.AF_UNIX)
        line.connect(path)
        line.sendall(json.dumps({"ahma": 1, "token": token, "request": "list"}).encode() + b"\\n")
        print(line.recv(4096).decode())
    except OSError as error:
        print(error)`);
}

/** Where servers of this home have their sockets. */
function controlOf(home: string): string {
  return `${home}/.local/state/ahma/control`;
}

/** The sockets of servers of this home, when there is one. */
async function socketsOf(home: string): Promise<readonly string[]> {
  const directory = controlOf(home);
  const names = () => exists(directory) ? Array.from(Deno.readDirSync(directory), ({ name }) => name) : [];
  return await until(
    () => {
      const found = names().filter((name) => /^\d.*\.token$/.test(name));
      return found.length > 0 && found.map((name) => `${directory}/${name.replace(/token$/, "sock")}`);
    },
    20_000,
    `a socket in ${directory}`,
  );
}

/** What the answer to a request begins with that a server does. */
const ANSWERED = /\{"event":"server","server":\{"pid":\d+/;

function asks(setting?: ServerSetting): Way {
  const does = driven(async ({ running, home }) => {
    const { text } = await running.shell(asking(await socketsOf(home)));
    return ANSWERED.exec(text)?.[0];
  });
  return { does, ...setting !== undefined && { ownServer: setting } };
}

function plants(setting?: ServerSetting): Way {
  const does = driven(async ({ running, home }) => {
    const directory = controlOf(home);
    const planted = `${directory}/1-planted.sock`;
    await running.shell(`mkdir -p ${directory}; echo planted > ${planted}; true`);
    return exists(planted) ? planted : undefined;
  });
  return { does, ...setting !== undefined && { ownServer: setting } };
}

/** Its socket lies elsewhere, so that the server itself needs no other place. */
const WITH_RUNTIME_DIRECTORY = [
  "sh",
  "-c",
  'export XDG_RUNTIME_DIR="$HOME.run"; mkdir -m 700 "$XDG_RUNTIME_DIR"; exec "$0" "$@"',
];

export const PEOPLE: readonly Row[] = [
  {
    id: "I05",
    title: "ask a server by the socket that is for people, with its token or without",
    users: BOTH,
    aim: "evidence",
    ways: withOneControl({
      "as commands are": asks(),
      "where the home may be read": less(asks({ flags: ({ home }) => ["--read", home] })),
      "where every socket is open": less(asks({ flags: () => ["--unix-sockets", "allow"] })),
      "where both are": asks({ flags: ({ home }) => ["--unix-sockets", "allow", "--read", home] }),
      "without namespaces": less(asks(REFUSING_NAMESPACES)),
      "without namespaces, where every socket is open": asks({
        ...REFUSING_NAMESPACES,
        flags: () => ["--unix-sockets", "allow"],
      }),
    }),
  },
  {
    id: "I06",
    title: "plant a socket where people look for servers",
    users: BOTH,
    aim: "evidence",
    ways: withOneControl({
      "as commands are": plants(),
      "where the home may be written to": plants({
        flags: ({ home }) => ["--write", home, "--allow-broad-scope"],
        prefix: WITH_RUNTIME_DIRECTORY,
      }),
    }),
  },
];
