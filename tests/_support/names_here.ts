import type { Workbench } from "./workbench.ts";

/** The words before a program that run it where these names lead to this machine, and no resolver is asked for others. */
export function namesHere(
  bench: Pick<Workbench, "parent" | "user" | "write">,
  names: string,
  more = "",
): readonly string[] {
  const hosts = bench.write(`${bench.parent}/hosts`, `127.0.0.1 localhost ${names}\n${more}`);
  const order = bench.write(`${bench.parent}/nsswitch.conf`, "hosts: files\n");
  const script = `mount --bind "${hosts}" /etc/hosts && mount --bind "${order}" /etc/nsswitch.conf && exec "$@"`;
  if (bench.user === "root") return ["unshare", "--mount", "sh", "-c", script, "sh"];
  const dropped = script.replace('exec "$@"', 'exec setpriv --ambient-caps=-all --inh-caps=-all "$@"');
  return ["unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "sh", "-c", dropped, "sh"];
}
