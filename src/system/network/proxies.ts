/** Proxies that the environment names for requests of this program. */

/** Whether a request may go through one, which then looks the name of the host up itself. */
export function isProxied(
  { protocol }: Pick<URL, "protocol">,
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): boolean {
  const names = [`${protocol.replace(":", "")}_proxy`, "all_proxy"];
  return names.flatMap((name) => [name, name.toUpperCase()]).some((name) => (variable(name) ?? "") !== "");
}
