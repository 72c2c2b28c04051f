/** The last test of a server: it is killed. */
import type { HttpServerProcess } from "../_support/servers/http_server.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import type { Shared, SharedTest } from "../_support/sharing.ts";

/** Its sessions, and the grandchildren of their commands, go with the server that is killed. */
async function leavesNothing({ bench, server }: Shared<HttpServerProcess>): Promise<void> {
  const orphan = `setsid nohup sh -c 'trap "" TERM HUP; sleep 7272' >/dev/null 2>&1 &`;
  await using client = await HttpClient.connect(server, { listens: false });
  await client.notify("notifications/initialized");
  await client.start(`${orphan} (sleep 7272 &); sleep 7272`);
  await bench.processesAppear("sleep 7272", 20_000);
  server.kill("SIGKILL");
  await server.exit();
  await bench.processesGone("sleep 7272", 20_000);
}

/** Registers it for a server whose sessions are shared or isolated. */
export function testKilled(mode: string, test: SharedTest<HttpServerProcess>): void {
  test(
    `X10 H11 C3 fault 9: a server that is killed leaves no session and no grandchild, ${mode}, over HTTP`,
    leavesNothing,
  );
}
