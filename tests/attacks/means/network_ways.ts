/** What waits outside for commands that reach over sockets, and programs that try. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  type Driven,
  type Place,
  python,
  type Scene,
  type ServerSetting,
  SYSTEM_CALL,
  type Way,
} from "../frame/attack.ts";
import { withDaemon } from "./daemon.ts";
import { streamAt } from "./listeners.ts";
import { until } from "../../_support/deadline.ts";
import { exists } from "../../_support/workbench.ts";

/** A daemon waits outside while `attack` runs. */
export function facing(
  program: (place: Place) => string,
  attack: (place: Place) => string,
  more: Partial<Way> = {},
): Way {
  return {
    does: { drive: (scene) => withDaemon(scene, { program: program(scene), attack: attack(scene) }) },
    // The daemon itself makes its socket there.
    watch: () => [],
    ...more,
  };
}

/** The command runs before the daemon listens, and connects when its socket is there. */
export async function reachesMeanwhile(scene: Scene): Promise<Driven> {
  const { running, directory } = scene;
  const command = `mkfifo go; touch begun; cat go; ${connectTo('"s"')}`;
  const { operation } = await running.call("sandboxed_shell", {
    command,
    working_directory: directory,
    execution_mode: "AsyncResultPush",
    timeout_seconds: 20,
  });
  await until(() => exists(`${directory}/begun`), 20_000, "the command to run");
  return await withDaemon(scene, {
    program: streamAt(`${directory}/s`),
    attack: async () => {
      await Deno.writeTextFile(`${directory}/go`, "x");
      return [await running.call("await", { operation_id: operation?.operation_id })];
    },
  });
}

/** A way whose server gives commands no network. */
export function offline(way: Way, network: "none" | "localhost" = "none"): Way {
  return { ...way, sharedServer: OFFLINE[network] };
}

const OFFLINE = {
  none: { flags: () => ["--network", "none"], plainControl: true },
  localhost: { flags: () => ["--network", "localhost"], plainControl: true },
} satisfies Readonly<Record<string, ServerSetting>>;

/** TCP listeners of ours on the loopback, IPv4 and IPv6, that give the secret to any client. */
export function reachesListener(line: (port: number) => string): Way {
  return {
    does: {
      drive: async (scene) => {
        using four = Deno.listen({ hostname: "127.0.0.1", port: 0 });
        const { port } = four.addr;
        using six = Deno.listen({ hostname: "::1", port });
        let accepted = 0;
        const secret = new TextEncoder().encode(`${scene.marker}\n`);
        const serve = async (listener: Deno.TcpListener) => {
          for await (const connection of listener) {
            accepted++;
            // The peer may have gone by then: it has been counted.
            await connection.write(secret).catch(ignoreBrokenPipe);
            connection.close();
          }
        };
        void serve(four);
        void serve(six);
        const options = { working_directory: scene.directory, timeout_seconds: 20 };
        const answer = await scene.running.shell(line(port), options);
        return { answers: [answer], achieved: accepted === 0 ? undefined : `${accepted} connections came` };
      },
    },
    aim: "evidence",
  };
}

function ignoreBrokenPipe(error: unknown): void {
  if (!(error instanceof Deno.errors.BrokenPipe) && !(error instanceof Deno.errors.ConnectionReset)) throw error;
}

/** A command listens on every address; a program on the machine connects and is heard. */
export async function listensForOthers(scene: Scene, program: string): Promise<string | undefined> {
  const { running, directory } = scene;
  const command = python(`import ctypes, os, socket
${program}
listener.settimeout(15)
open("port.new", "w").write(str(listener.getsockname()[1]))
os.rename("port.new", "port")
peer, _ = listener.accept()
print("heard", 6 * 7)`);
  const args = { command: `${command}\ntouch over`, working_directory: directory, execution_mode: "AsyncResultPush" };
  const operation_id = (await running.call("sandboxed_shell", args)).operation?.operation_id ?? "";
  const port = await until(() => portIn(directory), 20_000, "the command to listen or end");
  if (port === "none") return undefined;
  const reached = await connects(Number(port));
  await running.call("cancel", { operation_id });
  return reached ? `port ${port} of the command was reached from outside` : undefined;
}

function portIn(directory: string): string | undefined {
  const names = [...Deno.readDirSync(directory)].map(({ name }) => name);
  if (names.includes("port")) return Deno.readTextFileSync(`${directory}/port`);
  return names.includes("over") ? "none" : undefined;
}

async function connects(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
    return false;
  }
}

/** Python that makes a socket of this kind and says so. */
export function makes(family: number, type: number, protocol: number): Way {
  return {
    does: () => python(`import socket\nsocket.socket(${family}, ${type}, ${protocol})\nprint("made", 6 * 7)`),
    evidence: /made 42/,
    needs: { machine: () => withoutFamily(family, type, protocol) },
  };
}

export function withoutFamily(family: number, type: number, protocol: number): string | undefined {
  const args = ["-IS", "-c", `import socket; socket.socket(${family}, ${type}, ${protocol})`];
  const { success } = new Deno.Command("/usr/bin/python3", { args, stderr: "null" }).outputSync();
  return success || Deno.uid() !== 0 ? undefined : `this kernel has no sockets of family ${family}`;
}

export const CONNECT = `import array, os, socket
def talk(peer):
  words, handed, _, _ = peer.recvmsg(100, socket.CMSG_SPACE(4))
  print(words)
  for _, _, data in handed: print(os.pread(array.array("i", data)[0], 100, 0))
`;

export function connectTo(address: string): string {
  return python(`${CONNECT}
peer = socket.socket(socket.AF_UNIX)
peer.connect(${address})
talk(peer)`);
}

/** Sends a datagram from a socket with a name of its own, so that it can be answered. */
export function sendTo(address: string): string {
  return python(`import os, socket
mine = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
mine.bind(os.getcwd() + "/mine")
mine.settimeout(5)
mine.sendto(b"x", ${address})
print(mine.recv(100))`);
}

/** Code of the other instruction set: `socket(AF_UNIX, SOCK_STREAM)` by interrupt 0x80. */
export const INTERRUPT = `import ctypes, mmap
code = bytes.fromhex("53" "b867010000" "bb01000000" "b901000000" "ba00000000" "cd80" "5b" "c3")
page = mmap.mmap(-1, 4096, prot=7)
page.write(code)
result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
print("result", result)
if 0 < result < 1000: print("made", 6 * 7)`;

/** A UDP socket of ours on the loopback that answers with the secret. */
export function reachesDatagrams(line: (port: number) => string): Way {
  return {
    does: {
      drive: async (scene) => {
        const socket = createSocket("udp4");
        let came = 0;
        socket.on("message", (_, { port, address }) => {
          came++;
          socket.send(`${scene.marker}\n`, port, address);
        });
        socket.bind(0, "127.0.0.1");
        await once(socket, "listening");
        const options = { working_directory: scene.directory, timeout_seconds: 20 };
        const answer = await scene.running.shell(line(socket.address().port), options);
        socket.close();
        return { answers: [answer], achieved: came === 0 ? undefined : `${came} datagrams came` };
      },
    },
    aim: "evidence",
  };
}

/** Python that connects over TCP and prints what it gets. */
export function tcp(port: number, address: string, { family = "AF_INET", protocol = 0 } = {}): string {
  return python(`import socket
peer = socket.socket(socket.${family}, socket.SOCK_STREAM, ${protocol})
peer.settimeout(5)
peer.connect(("${address}", ${port}))
print(peer.recv(100))`);
}

/** Python that connects with its first words (TCP Fast Open). */
export function fastOpen(port: number, send: string): string {
  return python(`${SYSTEM_CALL}
import socket, struct
peer = socket.socket()
peer.settimeout(5)
address = ("127.0.0.1", ${port})
${send}
print(peer.recv(100))`);
}

export const SENDMMSG = `
name = ctypes.create_string_buffer(struct.pack("=H", 2) + struct.pack(">H", ${"{port}"}) + bytes([127, 0, 0, 1]) + bytes(8))
words = ctypes.create_string_buffer(b"x")
vector = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(words), 1))
header = struct.pack("QIxxxxQQQQixxxx", ctypes.addressof(name), 16, ctypes.addressof(vector), 1, 0, 0, 0)
message = ctypes.create_string_buffer(header + bytes(8))
libc.sendmmsg(peer.fileno(), message, 1, 0x20000000)`;

/** A service of ours on the loopback that gives the secret. */
export function reachesService(line: (port: number) => string): Way {
  return {
    does: {
      drive: async (scene) => {
        const serving = Deno.serve(
          { hostname: "127.0.0.1", port: 0, onListen: () => {} },
          () => new Response(scene.marker),
        );
        const options = { working_directory: scene.directory, timeout_seconds: 20 };
        const answer = await scene.running.shell(line(serving.addr.port), options);
        await serving.shutdown();
        return { answers: [answer] };
      },
    },
  };
}
