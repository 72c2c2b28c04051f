/** Files that name servers for commands of a network by name (S30): only its resolver, no entries of the machine's. */
import { attempt } from "../../base/errors.ts";
import { realPath } from "../../system/paths.ts";
import type { ShownInstead } from "../policy/policy.ts";

/** Few tries: it answers within a second and a half (relay/dns_service.ts), or not at all. */
const RESOLVER = "nameserver 127.0.0.1\noptions timeout:3 attempts:2\n";
const LOOPBACK = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";

/** Makes them in a directory of the server's, which is made too. @throws {Error} When the disk is full. */
export function makeNetworkFiles(directory: string): readonly ShownInstead[] {
  Deno.mkdirSync(directory, { mode: 0o755 });
  const files = {
    "/etc/resolv.conf": RESOLVER,
    "/etc/hosts": `${LOOPBACK}127.0.1.1 ${Deno.hostname()}\n`,
    "/etc/nsswitch.conf": switchFile(attempt(Error, () => Deno.readTextFileSync("/etc/nsswitch.conf")) ?? ""),
  };
  return Object.entries(files).flatMap(([path, text], at) => {
    const place = realPath(path);
    if (place === undefined) return [];
    const source = `${directory}/${at}`;
    Deno.writeTextFileSync(source, text, { createNew: true, mode: 0o644 });
    return [{ path: place, source }];
  });
}

/** The machine's, with names of hosts from the file and the resolver alone. */
export function switchFile(text: string): string {
  const lines = text.split("\n").filter((line) => !/^\s*hosts\s*:/.test(line));
  return `${lines.join("\n").trimEnd()}\nhosts: files dns\n`.trimStart();
}
