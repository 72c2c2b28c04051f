/** Y: ports that a person publishes: what commands must not gain by them (S34). */
import { BOTH, python, type Row, type Scene, type Way } from "../frame/attack.ts";
import { driven, together, withServer } from "../frame/stage.ts";
import { freePort } from "../../_support/servers/listening.ts";
import type { ServerProcess } from "../../_support/server_process.ts";

/** Ports of the machine: one that is published, one of a service, one that is free. Commands listen at `inside`. */
interface Ports {
  readonly port: number;
  readonly inside: number;
  readonly service: number;
  readonly other: number;
}

/** A command's program; a person connects to it once it listens at `listensAt`. */
interface Attempt {
  /** What the attempt achieved, by what a person read. */
  readonly judge: (read: string, service: Service) => Promise<string | undefined>;
  readonly program: (ports: Ports) => string;
  readonly listensAt?: (ports: Ports) => number;
  /** The port that a person opens, in the sandbox and in the control. */
  readonly opens?: (ports: Ports, enforced: boolean) => number;
}

/** A service of the machine, which counts who reaches it. */
class Service implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving = this.#serve();
  #count = 0;

  get port(): number {
    return this.#listener.addr.port;
  }

  /** How many came before this call, and since the last one. */
  async visitors(): Promise<number> {
    await answerAt(this.port); // connections are taken in their order
    const visitors = this.#count - 1;
    this.#count = 0;
    return visitors;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#serving;
  }

  async #serve(): Promise<void> {
    for await (const connection of this.#listener) {
      this.#count++;
      await connection.write(new TextEncoder().encode("x")).catch(() => {});
      connection.close();
    }
  }
}

/** What a person reads at a port of the machine; empty: nothing. */
async function answerAt(port: number): Promise<string> {
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    return await new Response(connection.readable).text();
  } catch (thrown) {
    if (thrown instanceof Error) return "";
    throw thrown;
  }
}

function publishing(attempts: Readonly<Record<string, Attempt>>): Way {
  const act = async (scene: Scene) => {
    await using service = new Service();
    const ports = { port: freePort(), inside: freePort(), service: service.port, other: freePort() };
    const published = ["--network", "localhost", "--publish", `${ports.port}:${ports.inside}`];
    return await withServer(
      scene,
      { flags: () => scene.enforced ? published : [] },
      (server) =>
        together(
          scene,
          attempts,
          async (attempt) =>
            await attempt.judge(await tried(server, attempt, { ports, enforced: scene.enforced }), service),
        ),
    );
  };
  return { does: driven(act), watch: () => [], seconds: 60 };
}

/** Runs an attempt to its end; gives what a person read. */
async function tried(
  server: ServerProcess,
  { program, listensAt, opens = ({ port }) => port }: Attempt,
  { ports, enforced }: { readonly ports: Ports; readonly enforced: boolean },
): Promise<string> {
  const command = python(`import ctypes, socket\nsocket.setdefaulttimeout(3)\n${program(ports)}`);
  if (listensAt === undefined) {
    await server.shell(command);
    return "";
  }
  const { text } = await server.call("sandboxed_shell", { command, until_port: listensAt(ports) });
  const read = await answerAt(opens(ports, enforced));
  await server.call("await", { id: /^op_\w+/.exec(text)?.[0], timeout_seconds: 20 });
  return read;
}

async function hasVisitors(_: string, service: Service): Promise<string | undefined> {
  const visitors = await service.visitors();
  return visitors === 0 ? undefined : `${visitors} reached it`;
}

function talk(host: string): Attempt {
  return {
    judge: hasVisitors,
    program: ({ service }) => `print(socket.create_connection(("${host}", ${service})).recv(9))`,
  };
}

/** Takes one connection, and answers it with what is in no command. */
function serves(place: (ports: Ports) => number): Attempt {
  return {
    judge: (read) => Promise.resolve(read.includes("10077696") ? read : undefined),
    program: (ports) =>
      `one = socket.create_server(("0.0.0.0", ${place(ports)}))
peer = one.accept()[0]
peer.sendall(b"%d" % 6 ** 9)`,
    listensAt: place,
    opens: place,
  };
}

export const PUBLICATION: readonly Row[] = [
  {
    id: "Y40",
    title: "reach a service of the machine, or take a port of it, by way of a published port",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a service on the loopback, a port of the machine": publishing({
        "by its address": talk("127.0.0.1"),
        "by the mapped one": talk("::ffff:127.0.0.1"),
        "by the empty one": talk("0.0.0.0"),
        "with the socket of a person's connection": {
          judge: hasVisitors,
          program: ({ inside, service }) =>
            `one = socket.create_server(("127.0.0.1", ${inside}))
peer = one.accept()[0]
peer.settimeout(None)
ctypes.CDLL(None).connect(peer.fileno(), bytes(16), 16)
one.close()
peer.connect(("127.0.0.1", ${service}))
print(peer.recv(9))`,
          listensAt: ({ inside }) => inside,
          opens: ({ port, inside }, enforced) => enforced ? port : inside,
        },
        "the published port": serves(({ port }) => port),
        "another port": serves(({ other }) => other),
      }),
    },
  },
];
