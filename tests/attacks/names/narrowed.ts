/** Y: lists of tool files: what one must not let out, whatever the lists around it are (S43). */
import { BOTH, python, type Row } from "../frame/attack.ts";
import { LISTED, OTHER, outward, PORT, type Stage, UNLISTED_PORT, volleyOn } from "../means/own_machine.ts";

/** A name of the server's list. */
const BELOW = "a.below.example.test";
/** Where a command of the session's network passes on what comes to it. */
const FORWARDER = 9100;

/** What a command with the session's list leaves for the others: an address that it was given, and a forwarder. */
const LEFT_BEHIND = python(`import socket
open("learned", "w").write(socket.gethostbyname("${BELOW}"))
with socket.create_server(("127.0.0.1", ${FORWARDER})) as listener:
  while True:
    with listener.accept()[0] as peer, socket.create_connection(("${BELOW}", ${PORT})) as there:
      there.sendall(peer.recv(100))
      peer.sendall(there.recv(100))
`);

/** Attempts run in a leaf, right after commands of the widest list. */
function behind(leaf: string): Stage {
  return {
    begin: async (server) => {
      const { operation } = await server.call("sandboxed_shell", { command: LEFT_BEHIND, until_port: FORWARDER });
      return () => server.call("cancel", { operation_id: operation?.operation_id });
    },
    run: async (server, line) => {
      await Promise.all(Array.from({ length: 3 }, () => server.call("lists_wide", { args: ["true"] })));
      return await server.call(`lists_${leaf}`, { args: [line], timeout_seconds: 25 });
    },
  };
}

const CONNECTED = /^(?:open|data) /;

export const NETWORK_NARROWED: readonly Row[] = [
  {
    id: "Y30",
    title: "reach from one list of a tool file what the server or another list opens",
    users: BOTH,
    aim: "evidence",
    ways: {
      "names, ports and addresses": volleyOn(behind("narrow"), {
        "a name of another list": `talk("${BELOW}", ${PORT}, tag)`,
        "an address of another list": `talk("8.8.4.4", ${PORT}, tag)`,
        "another port of its own name": `talk("${LISTED}", 443, tag)`,
        "the address that another list has for a name": `talk(open("learned").read(), ${PORT}, tag)`,
        "the loopback of the session's commands": `talk("127.0.0.1", ${FORWARDER}, tag)`,
        "the loopback of the machine": `talk("127.0.0.1", ${UNLISTED_PORT}, tag)`,
      }, CONNECTED),
    },
  },
  {
    id: "Y31",
    title: "run in a sandbox that a wider list has used",
    users: BOTH,
    aim: "evidence",
    ways: {
      "after commands of that list": outward(
        Object.fromEntries(Array.from({ length: 3 }, (_, at) => [`call ${at}`, `talk("${BELOW}", ${PORT})`])),
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
      "a name, an address, a port": volleyOn(behind("wider"), {
        "a name": `talk("${OTHER}", ${PORT}, tag)`,
        "an address": `talk("8.8.2.2", ${PORT}, tag)`,
        "a port": `talk("${LISTED}", ${UNLISTED_PORT}, tag)`,
      }, CONNECTED),
    },
  },
  ...Object.entries({ Y33: ["closes the network", "none"], Y34: ["leaves commands the loopback", "local"] }).map((
    [id, [does = "", leaf = ""]],
  ): Row => ({
    id,
    title: `connect where a tool file ${does}`,
    users: BOTH,
    aim: "evidence",
    ways: {
      [leaf]: volleyOn(behind(leaf), {
        "a listed name": `talk("${LISTED}", ${PORT}, tag)`,
        "its address": `talk("8.8.1.1", ${PORT}, tag)`,
        "the session's loopback": `talk("127.0.0.1", ${FORWARDER}, tag)`,
        "the machine's": `talk("127.0.0.1", ${UNLISTED_PORT}, tag)`,
      }, CONNECTED),
    },
  })),
];
