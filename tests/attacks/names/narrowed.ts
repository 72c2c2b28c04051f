/** Y: lists of tool files: what one must not let out, whatever the lists around it are (S43). */
import { BOTH, python, type Row } from "../frame/attack.ts";
import { writeTools } from "../frame/stage.ts";
import { LISTED, OTHER, outward, PORT, type Stage, UNLISTED_PORT } from "../means/own_machine.ts";

/** A name of the server's list. */
const BELOW = "a.below.example.test";
/** Where a command of the session's network passes on what comes to it. */
const FORWARDER = 9100;

/** Runs a line of its argument behind the list of the leaf. */
const TOOLS = {
  lists: {
    name: "lists",
    command: "bash -c",
    description: "Runs a line.",
    synchronous: true,
    subcommand: Object.entries({
      narrow: [`${LISTED}:${PORT}`],
      wide: [`${LISTED}:${PORT}`, `*.below.example.test:${PORT}`, `8.8.4.4:${PORT}`],
      wider: [`${LISTED}:${PORT}`, `${OTHER}:${PORT}`, `8.8.2.2:${PORT}`, `${LISTED}:${UNLISTED_PORT}`],
      none: "none",
      local: "localhost",
    }).map(([name, network]) => ({ name, network, argv: [], description: `Runs it with ${name}.` })),
  },
};

/** What a command with the session's list leaves for the others: an address that it was given, and a forwarder. */
const LEFT_BEHIND = python(`import socket
open("learned", "w").write(socket.gethostbyname("${BELOW}"))
with socket.create_server(("127.0.0.1", ${FORWARDER})) as listener:
  while True:
    with listener.accept()[0] as peer, socket.create_connection(("${BELOW}", ${PORT})) as there:
      there.sendall(peer.recv(100))
      peer.sendall(there.recv(100))
`);

/** Attempts run in a leaf, each right after commands of the widest list. */
function behind(leaf: string): Stage {
  return {
    prepare: (bench) => writeTools(bench, TOOLS),
    begin: (server) => server.call("sandboxed_shell", { command: LEFT_BEHIND, until_port: FORWARDER }),
    run: async (server, line) => {
      await Promise.all(Array.from({ length: 3 }, () => server.call("lists_wide", { args: ["true"] })));
      return await server.call(`lists_${leaf}`, { args: [line], timeout_seconds: 25 });
    },
  };
}

const CONNECTED = /^(?:open|data) (?!.*sync)/;

export const NETWORK_NARROWED: readonly Row[] = [
  {
    id: "Y30",
    title: "reach from one list of a tool file what the server or another list opens",
    users: BOTH,
    aim: "evidence",
    ways: {
      "names, ports and addresses": outward(
        {
          "a name of another list": `talk("${BELOW}", ${PORT})`,
          "an address of another list": `talk("8.8.4.4", ${PORT})`,
          "another port of its own name": `talk("${LISTED}", 443)`,
          "the address that another list has for a name": `talk(open("learned").read(), ${PORT})`,
          "the loopback of the session's commands": `talk("127.0.0.1", ${FORWARDER})`,
          "the loopback of the machine": `talk("127.0.0.1", ${UNLISTED_PORT})`,
        },
        CONNECTED,
        behind("narrow"),
      ),
    },
  },
  {
    id: "Y31",
    title: "run in a sandbox that a wider list has used",
    users: BOTH,
    aim: "evidence",
    ways: {
      "after commands of that list": outward(
        Object.fromEntries(
          Array.from({ length: 6 }, (_, at) => [`call ${at}`, `talk("${BELOW}", ${PORT})`]),
        ),
        CONNECTED,
        behind("narrow"),
      ),
    },
  },
  {
    id: "Y32",
    title: "widen the server's list by one of a tool file",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a name, an address, a port": outward(
        {
          "a name": `talk("${OTHER}", ${PORT})`,
          "an address": `talk("8.8.2.2", ${PORT})`,
          "a port": `talk("${LISTED}", ${UNLISTED_PORT})`,
        },
        CONNECTED,
        behind("wider"),
      ),
    },
  },
  {
    id: "Y33",
    title: "connect where a tool file closes the network",
    users: BOTH,
    aim: "evidence",
    ways: Object.fromEntries(
      ["none", "local"].map((leaf) => [
        leaf,
        outward(
          {
            "a listed name": `talk("${LISTED}", ${PORT})`,
            "its address": `talk("8.8.1.1", ${PORT})`,
            "the session's loopback": `talk("127.0.0.1", ${FORWARDER})`,
            "the machine's": `talk("127.0.0.1", ${UNLISTED_PORT})`,
          },
          CONNECTED,
          behind(leaf),
        ),
      ]),
    ),
  },
];
