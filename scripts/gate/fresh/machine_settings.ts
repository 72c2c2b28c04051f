/** What a fresh root takes from this machine: only how to reach the registries. Pure. */

/** Variables that name proxies, mirrors and authorities; no token is among them. */
const PASSED = new RegExp(
  "^(?:(?:https?|no|all|ftp)_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir)|(?:curl|requests|aws)_ca_bundle|" +
    "git_ssl_cainfo|pip_(?:cert|index_url|extra_index_url|trusted_host)|uv_(?:index_url|default_index)|goproxy|gosumdb|" +
    "gonosumdb|npm_config_(?:registry|cafile)|cargo_(?:registries|source|http|net)_\\w+)$",
  "i",
);

/** Those of the variables that a fresh root gets. */
export function passedVariables(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => PASSED.test(name)));
}

/** The authorities of a bundle (PEM) that are missing in another. */
export function authoritiesBeyond(own: string, other: string): readonly string[] {
  const known = new Set(certificatesOf(other).map(contentOf));
  return certificatesOf(own).filter((one) => !known.has(contentOf(one)));
}

/** Sources of apt for a release, with its updates. @param mirror as `http://host/debian` */
export function aptSources(release: string, mirror: string): string {
  const security = mirror.replace(/debian\/?$/, "debian-security");
  return [
    `deb ${mirror} ${release} main`,
    `deb ${mirror} ${release}-updates main`,
    `deb ${security} ${release}-security main`,
    "",
  ].join("\n");
}

/** The mirror that a machine's sources name first, in either form; undefined: none is named. */
export function mirrorOf(sources: string): string | undefined {
  return /^(?:URIs:|deb(?:\s+\[[^\]]*\])?)\s+(https?:\/\/\S+?\/debian)\/?(?=\s|$)/m.exec(sources)?.[1];
}

/** The test command of README, word for word. */
export function testCommand(readme: string): string {
  const [command] = /^npx -y deno@\S+ task ok:full/m.exec(readme) ?? [];
  if (command === undefined) throw new Error("README.md names no test command");
  return command;
}

function certificatesOf(bundle: string): readonly string[] {
  return bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

function contentOf(certificate: string): string {
  return certificate.replaceAll(/\s/g, "");
}
