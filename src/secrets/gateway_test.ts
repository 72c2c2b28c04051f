import assert from "node:assert/strict";
import type { NetworkRefusal } from "../base/command/network_use.ts";
import { SecretGateway } from "./gateway.ts";
import { makeCertificate } from "./session_certificate.ts";

const HOST = "bound.example.test";
const OWN: NetworkRefusal = { reason: "leads to an address of this machine", flag: "--allow-private-hosts HOST" };

/** What a client is answered, and what the relay hears. */
async function asked(gateway: SecretGateway, port: number, ownProblem: () => NetworkRefusal | undefined) {
  // Nothing listens at the first one.
  const places = [2, 1].map((last) => ({ address: Uint8Array.of(127, 0, 0, last), port, ownProblem }));
  const termination = gateway.terminate({ host: HOST, port, places });
  const dialled = await Deno.connect({ hostname: "127.0.0.1", port: termination.place.port });
  termination.dialled(dialled.localAddr.port);
  using connection = await Deno.startTls(dialled, { hostname: HOST, caCerts: [gateway.authority] });
  const request = `GET / HTTP/1.1\r\nHost: ${HOST}:${port}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const answer = await new Response(connection.readable).text();
  return { status: answer.split(" ", 2)[1], body: answer.split("\r\n\r\n")[1], ...termination.end() };
}

Deno.test("S33 S31 a bound host is not asked at an address that turns out to be this machine's", async () => {
  const { authority, certificate, key } = await makeCertificate([HOST]);
  const heard: string[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert: certificate, key, onListen: () => {} },
    (request) => {
      heard.push(request.url);
      return new Response("asked");
    },
  );
  const { port } = server.addr;
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  await using gateway = await SecretGateway.open({
    secrets: new Map([[`${HOST}:${port}`, []]]),
    authorities: [authority],
    log,
  });
  const refused = await asked(gateway, port, () => OWN);
  assert.deepStrictEqual([refused.status, refused.refused, heard], ["502", OWN, []]);
  assert.match(refused.body ?? "", /cannot be asked: leads to an address of this machine/);
  const allowed = await asked(gateway, port, () => undefined);
  assert.deepStrictEqual([allowed.status, allowed.refused, heard.length], ["200", undefined, 1]);
});
