/**
 * A TLS connection to addresses that were looked up and checked before. It is read no faster than its reader reads, while
 * `node:https` of Deno 2.9 keeps all that a server sends.
 */
import type { Duplex } from "node:stream";
import type { HostAddress } from "./request_to_address.ts";

export interface TlsTarget {
  /** Whose certificate it must have. */
  readonly host: string;
  readonly port: number;
  /** At least one; the first that can be reached is used. */
  readonly addresses: readonly HostAddress[];
  /** Why an address that turns out to be this machine's own may not be spoken to; undefined: it may. */
  readonly ownProblem: (address: string) => string | undefined;
  /** Certificates of authorities in addition to those that the runtime trusts, PEM. */
  readonly authorities: readonly string[];
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** How long one address may say nothing while there may be others, milliseconds. */
const DIAL_MS = 10_000;

/** Rejects when no address answers, or not as the host. */
export async function tlsToAddress(target: TlsTarget): Promise<Duplex> {
  const { host, authorities, signal } = target;
  const { Duplex } = await import("node:stream");
  const dialled = await dial(target);
  const connection = await Deno.startTls(dialled, { hostname: host, caCerts: [...authorities] });
  const end = () => connection.close();
  signal.addEventListener("abort", end);
  try {
    signal.throwIfAborted();
    await connection.handshake();
  } catch (thrown) {
    if (!signal.aborted) end();
    throw thrown;
  } finally {
    signal.removeEventListener("abort", end);
  }
  return Duplex.fromWeb({ readable: connection.readable, writable: connection.writable });
}

async function dial({ addresses, port, signal, ownProblem }: TlsTarget): Promise<Deno.TcpConn> {
  let problem: unknown = new Error("It has no address");
  for (const { address } of addresses) {
    try {
      return checked(await dialOne(address, port, signal), address, ownProblem);
    } catch (thrown) {
      signal.throwIfAborted();
      problem = thrown;
    }
  }
  throw problem;
}

/** Rejects also where it says nothing for long. */
async function dialOne(hostname: string, port: number, signal: AbortSignal): Promise<Deno.TcpConn> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`${hostname} does not answer`)), DIAL_MS);
  try {
    return await Deno.connect({ hostname, port, signal: AbortSignal.any([signal, late.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** A route can make this machine's own what no interface has: both ends of a connection are the same address then. */
function checked(connection: Deno.TcpConn, address: string, ownProblem: TlsTarget["ownProblem"]): Deno.TcpConn {
  const { localAddr, remoteAddr } = connection;
  const why = localAddr.hostname === remoteAddr.hostname ? ownProblem(address) : undefined;
  if (why === undefined) return connection;
  connection.close();
  throw new Error(why);
}
