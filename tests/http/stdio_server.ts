/** The third-party server of the tests here. */
import type { HttpClient } from "../_support/clients/http_client.ts";

/** Its source. */
export const STDIO_SERVER = await Deno.readTextFile(new URL("../fixtures/stdio_server.py", import.meta.url));

/** What it knows of itself and of its client. */
export async function facts(client: HttpClient): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse((await client.call("facts")).text);
}
