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
  /** Certificates of authorities in addition to those that the runtime trusts, PEM. */
  readonly authorities: readonly string[];
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Rejects when no address answers, or not as the host. */
export async function tlsToAddress({ host, port, addresses, authorities, signal }: TlsTarget): Promise<Duplex> {
  const { Duplex } = await import("node:stream");
  const dialled = await dial(addresses, port, signal);
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

async function dial(addresses: readonly HostAddress[], port: number, signal: AbortSignal): Promise<Deno.TcpConn> {
  let problem: unknown = new Error("It has no address");
  for (const { address } of addresses) {
    try {
      return await Deno.connect({ hostname: address, port, signal });
    } catch (thrown) {
      signal.throwIfAborted();
      problem = thrown;
    }
  }
  throw problem;
}
