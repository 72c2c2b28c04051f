/** A server that asks a person about unlisted hosts, and a client that answers (S35). */
import type { Client, ElicitResult } from "@modelcontextprotocol/client";
import { connectClient } from "./sdk_client.ts";
import { member } from "../../../src/wire/json_value.ts";
import { namesHere } from "../names_here.ts";
import { type Era, ServerProcess } from "../server_process.ts";
import { type User, usersAtHand, Workbench } from "../workbench.ts";

export const HOSTS = ["listed", "one", "two", "three", "four", "five"].map((name) => `${name}.example.test`);

/** A program that connects to each `HOST:PORT` of its arguments, and prints what the other end says. */
export const CLIENT = `
import socket, sys
for place in sys.argv[1:]:
    host, port = place.rsplit(":", 1)
    try:
        s = socket.create_connection((host, int(port)), 70)
        s.sendall(b"hello\\n")
        print(s.recv(100).decode().split("\\r")[0] or "closed", flush=True)
    except OSError as e:
        print(type(e).__name__, flush=True)
`;

export interface Asking {
  readonly greeter: Greeter;
  readonly port: number;
  readonly bench: Workbench;
  readonly server: ServerProcess;
  readonly client: Client;
  /** The messages of the forms, in order. */
  readonly forms: readonly string[];
  /** Runs a line, and returns the text of the result without what is said about a pending question. */
  shell(command: string): Promise<string>;
  /** Connects from a separate command. */
  connect(...hosts: readonly string[]): Promise<string>;
}

export interface Choice {
  readonly user?: User;
  readonly era?: Era;
  /** Absent: every call waits for its result. */
  readonly flags?: readonly string[];
  /** Absent: it supports forms. */
  readonly takesForms?: false;
}

/** Answers a form with this message; `preselected` is the choice that the form starts with. */
export type Answer = (message: string, preselected?: unknown) => ElicitResult | Promise<ElicitResult>;

/** A server whose list has one host of six that lead to this machine, and a client whose person answers. */
export async function withAsking(
  answer: Answer,
  run: (asking: Asking) => Promise<void>,
  { user = usersAtHand()[0] ?? "root", era = "2025-11-25", flags = ["--sync"], takesForms }: Choice = {},
): Promise<void> {
  using bench = new Workbench(user);
  bench.write("client.py", CLIENT);
  await using greeter = new Greeter();
  await using server = await ServerProcess.start(bench, {
    flags: [...flags, ...askingFlags(greeter.port)],
    prefix: namesHere(bench, HOSTS.join(" ")),
    permissions: ["--allow-net"],
    era: "none",
  });
  const forms: string[] = [];
  const client = await connectClient(server, era, {
    capabilities: takesForms === false ? {} : { elicitation: {} },
    ...takesForms !== false && {
      onElicit: (params) => {
        const message = String(params["message"]);
        forms.push(message);
        return answer(message, preselectedIn(params));
      },
    },
  });
  const { port } = greeter;
  const shell = async (command: string) => {
    const { content } = await client.callTool({ name: "sandboxed_shell", arguments: { command } });
    const text = content.map((part) => part.type === "text" ? part.text : part.type).join("\n");
    // And without the closing line of a slow command.
    return text.replaceAll(/^\[a person is asked: .*\?\]\n/gm, "").replace(/\n\[exit code 0, [^\]]*\]/, "").trim();
  };
  const connect = (...hosts: readonly string[]) => {
    const places = hosts.map((host) => host.includes(":") ? host : `${host}.example.test:${port}`);
    return shell(`python3 client.py ${places.join(" ")}`);
  };
  await run({ bench, greeter, port, server, client, forms, shell, connect });
  await client.close();
}

function preselectedIn(params: unknown): unknown {
  return member(member(member(member(params, "requestedSchema"), "properties"), "answer"), "default");
}

/** A list with one of the hosts at a port, and questions for the others. */
export function askingFlags(port: number): readonly string[] {
  const allowed = HOSTS.flatMap((host) => ["--allow-private-hosts", host]);
  return ["--network", `listed.example.test:${port}`, "--ask", "network", ...allowed];
}

/** Listens on this machine and greets. */
export class Greeter implements AsyncDisposable {
  /** The paths of the requests that it got. */
  readonly paths: string[] = [];
  readonly #server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    this.paths.push(new URL(url).pathname);
    return new Response("hi");
  });

  get port(): number {
    return this.#server.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** An answer that chooses this text. */
export function choosing(text: string): Answer {
  return () => ({ action: "accept", content: { answer: text } });
}
