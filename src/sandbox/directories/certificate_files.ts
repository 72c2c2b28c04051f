/**
 * The certificates that commands trust where secrets are bound to hosts (S33): those of the machine and of the variables
 * that name more, and the authority of the session, whose certificate they meet at these hosts.
 */
import { attempt } from "../../base/errors.ts";
import { CERTIFICATES } from "../grants/environment.ts";
import { isFile, realPath } from "../../system/paths.ts";
import type { ShownInstead } from "../policy/policy.ts";

/** Where systems have all certificates in one file: Debian and Alpine, Fedora, SUSE, BSD's name. */
const BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
] as const;

/** They name a file with all certificates. */
const OF_ALL = [
  "AWS_CA_BUNDLE",
  "CARGO_HTTP_CAINFO",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "PIP_CERT",
  "REQUESTS_CA_BUNDLE",
  "SSL_CERT_FILE",
] as const;
/** They name a file with certificates that programs trust in addition to their own. */
const OF_MORE = ["DENO_CERT", "NODE_EXTRA_CA_CERTS"] as const;

const ALL_FILE = "certificates.pem";
const MORE_FILE = "more_certificates.pem";

/** Writes them into a directory that commands can read, and gives the variables that lead programs there. */
export function writeCertificates(
  directory: string,
  { authority, environment, write }: {
    /** PEM. */
    readonly authority: string;
    /** The server's. */
    readonly environment: Readonly<Record<string, string>>;
    readonly write: (path: string, text: string) => void;
  },
): Readonly<Record<string, string>> {
  const machine = ofMachine();
  const more = namedBy(environment).filter((one) => !machine.includes(one));
  write(`${directory}/${ALL_FILE}`, [...machine, ...more, authority].join("\n"));
  write(`${directory}/${MORE_FILE}`, [...more, authority].join("\n"));
  return {
    ...Object.fromEntries(OF_ALL.map((name) => [name, `${directory}/${ALL_FILE}`])),
    ...Object.fromEntries(OF_MORE.map((name) => [name, `${directory}/${MORE_FILE}`])),
  };
}

/** What programs of the user trust, PEM, each once; empty: nothing says. `environment`: the server's. */
export function trustedCertificates(environment: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set([...ofMachine(), ...namedBy(environment)])];
}

/** The machine's file, in whose place programs that know no variable see ours. */
export function certificatesInstead(directory: string): readonly ShownInstead[] {
  const path = BUNDLES.map(realPath).find((one) => one !== undefined);
  return path === undefined ? [] : [{ path, source: `${directory}/${ALL_FILE}` }];
}

function ofMachine(): readonly string[] {
  return BUNDLES.filter(isFile).slice(0, 1).flatMap(certificatesIn);
}

function namedBy(environment: Readonly<Record<string, string>>): readonly string[] {
  const paths = CERTIFICATES.flatMap((name) => environment[name] ?? []).filter(isFile);
  return [...new Set(paths)].flatMap(certificatesIn);
}

function certificatesIn(path: string): readonly string[] {
  return (attempt(Error, () => Deno.readTextFileSync(path)) ?? "").match(CERTIFICATE) ?? [];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
