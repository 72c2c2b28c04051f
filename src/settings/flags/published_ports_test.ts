import assert from "node:assert/strict";
import { publicationProblem, publishedProblem, readPublished } from "./published_ports.ts";
import { readNetwork } from "./network_value.ts";

Deno.test("S34 readPublished() takes one port for both sides, or one for each", () => {
  assert.deepStrictEqual(readPublished("5173"), { port: 5173, inside: 5173 });
  assert.deepStrictEqual(readPublished("65535:1"), { port: 65_535, inside: 1 });
  for (const good of ["1", "65535", "8080:5173"]) assert.equal(publishedProblem(good), undefined, good);
  for (
    const bad of ["0", "65536", "80:", ":80", "80:0", "1:2:3", "127.0.0.1:80", "http", "-1", "5e3", "000080", " 80"]
  ) {
    assert.match(publishedProblem(bad) ?? "", /is neither a port from 1 to 65535 nor two of them/, bad);
  }
});

Deno.test("S34 publicationProblem() refuses only what can lead to no command", () => {
  const problem = (network: string, published: readonly string[], { enforce = true, sessionIsolation = false } = {}) =>
    publicationProblem({
      published: published.map(readPublished),
      sandbox: { enforce, confinement: readNetwork(network) },
      http: { sessionIsolation },
    });
  const isolated = { sessionIsolation: true };
  assert.equal(problem("none", []), undefined);
  assert.equal(problem("localhost", ["443", "53"]), undefined);
  assert.equal(problem("packages", ["5173", "443:5174"]), undefined);
  assert.equal(problem("full", ["5173"], isolated), undefined);
  assert.equal(problem("none", ["5173"], { enforce: false }), undefined);
  assert.match(problem("none", ["5173"]) ?? "", /with --network none/);
  assert.match(problem("localhost", ["5173"], isolated) ?? "", /with --session-isolation/);
  assert.equal(
    problem("packages", ["5173", "8443:443"]),
    "Cannot publish port 443: the network by name takes it for connections of commands. Let the command listen at another",
  );
  assert.match(problem("packages", ["5353:53"]) ?? "", /^Cannot publish port 53: /);
  assert.equal(
    problem("localhost", ["80", "80:81"]),
    "Cannot publish port 81 at port 80, which --publish names twice",
  );
});
