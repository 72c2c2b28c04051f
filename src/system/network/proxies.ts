/** Proxies that the environment names for requests of this program. Pure but for the environment. */

/** What the runtime takes as a proxy; it goes past every other value, and past a user name without a password. */
const USABLE = /^(?:(?:https?|socks5h?):\/\/)?(?:[^\s/@:]+:[^\s/@]*@)?[^\s/@]+\/?$/i;

/**
 * Whether a request goes through one, which then looks the name of the host up itself. Where that is in doubt, because of
 * `no_proxy` or of a value that is not a proxy, it does not.
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
