/** TLS to checked addresses, with backpressure; `node:https` of Deno 2.9 buffers all that a server sends. */
import type { Duplex } from "node:stream";
import type { HostAddress } from "./request_to_address.ts";

export interface TlsTarget {
  /** The host whose certificate the server must have. */
  readonly host: string;
  readonly port: number;
  /** At least one; the first that can be reached is used. */
  readonly addresses: readonly HostAddress[];
  /** Why a connection to an address of this machine is refused; undefined: it is allowed. */
  readonly ownProblem: (address: string) => string | undefined;
  /** Certificates of authorities in addition to those that the runtime trusts, PEM. */
  readonly authorities: readonly string[];
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** How long one address may take to answer, milliseconds. */
const DIAL_MS = 10_000;

/** Rejects if no address answers with a valid certificate of the host. */
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

/** Also rejects if the address does not answer in time. */
async function dialOne(hostname: string, port: number, signal: AbortSignal): Promise<Deno.TcpConn> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`${hostname} does not answer`)), DIAL_MS);
  try {
    return await Deno.connect({ hostname, port, signal: AbortSignal.any([signal, late.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** A route can lead to this machine by a foreign address: then both ends have the same address. */
function checked(connection: Deno.TcpConn, address: string, ownProblem: TlsTarget["ownProblem"]): Deno.TcpConn {
  const { localAddr, remoteAddr } = connection;
  const why = localAddr.hostname === remoteAddr.hostname ? ownProblem(address) : undefined;
  if (why === undefined) return connection;
  connection.close();
  throw new Error(why);
}
