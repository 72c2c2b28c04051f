/** Proxies that the environment names for requests of this program. Reads the environment, otherwise pure. */

/** Values that the runtime accepts as a proxy. It ignores any other value, and a user name without a password. */
const USABLE = /^(?:(?:https?|socks5h?):\/\/)?(?:[^\s/@:]+:[^\s/@]*@)?[^\s/@]+\/?$/i;

/**
 * Whether a request goes through a proxy, which then resolves the host name itself. False in case of doubt: `no_proxy`
 * is set, or a value is not a proxy.
 */
export function isProxied(
  { protocol, hostname }: Pick<URL, "protocol" | "hostname">,
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): boolean {
  const values = (...names: readonly string[]) =>
    names.flatMap((name) => [name, name.toUpperCase()]).map((name) => variable(name) ?? "").filter((one) => one !== "");
  const isNamed = values(`${protocol.replace(":", "")}_proxy`, "all_proxy").some((one) => USABLE.test(one));
  const exceptions = values("no_proxy").flatMap((one) => one.toLowerCase().split(",")).map((one) => one.trim());
  return isNamed && !exceptions.some((one) => one === "*" || `.${hostname}`.endsWith(`.${one.replace(/^\*?\./, "")}`));
}
