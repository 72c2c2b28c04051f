import type { FlagValues } from "./flags/flag_values.ts";

/** Settings of `--mode http`. */
export interface HttpSettings {
  readonly host: string;
  /** 0: any that is free (H1). */
  readonly port: number;
  /** One process for each session (H3). */
  readonly sessionIsolation: boolean;
  /** Milliseconds (H3). */
  readonly handshakeTimeoutMs: number;
  /** Clients must send the bearer token (H8). */
  readonly requireToken: boolean;
  /** `Host` headers and origins accepted in addition to the server's own (H8). */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly maxSessions: number;
  /** Milliseconds (H8). */
  readonly sessionIdleMs: number;
  /** The stdio server to put behind HTTP, with its arguments (H10); undefined: this program. */
  readonly serverCommand: readonly string[] | undefined;
  /** Whether that server runs with all rights of the user. */
  readonly openServer: boolean;
  /** Milliseconds a request to that server may take; undefined: no limit (H10). */
  readonly requestTimeoutMs: number | undefined;
}

/** Undefined: the server speaks over stdio. */
export function httpSettings(values: FlagValues): HttpSettings | undefined {
  if (values.texts("mode")[0] !== "http") return undefined;
  const [program] = values.texts("server-command");
  const requestTimeout = values.number("request-timeout") ?? 60;
  return {
    host: values.texts("http-host")[0] ?? "127.0.0.1",
    port: values.number("http-port") ?? 3000,
    sessionIsolation: values.isOn("session-isolation"),
    handshakeTimeoutMs: (values.number("handshake-timeout") ?? 45) * 1000,
    requireToken: values.isOn("require-token"),
    allowedHosts: values.texts("allow-host"),
    allowedOrigins: values.texts("allow-origin"),
    maxSessions: values.number("max-sessions") ?? 64,
    sessionIdleMs: (values.number("session-idle") ?? 1800) * 1000,
    serverCommand: program === undefined ? undefined : [program, ...values.texts("server-args")],
    openServer: values.isOn("no-sandbox-server"),
    requestTimeoutMs: requestTimeout === 0 ? undefined : requestTimeout * 1000,
  };
}
