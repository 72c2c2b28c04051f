/** V20 and V21: a server at an address that means harm to what the program knows, or to the program itself. */
import { HTTP_PERMISSIONS } from "../../../scripts/permissions.ts";
import { holdingsOf } from "../../_support/processes.ts";
import type { RpcMessage } from "../../_support/json_rpc.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import { BOTH, type Row, type Scene, type Way } from "../attack.ts";
import { driven, withServer } from "../stage.ts";
import { type Harm, HostileHttp } from "./hostile_http.ts";

/** What the entry of the server has, for it alone. */
const KEYS = { "X-Api-Key": "key-42", "Authorization": "Bearer key-42" };
/** What it holds after it has read as much as a message may have. */
const MOST_MIB = 400;

interface Met {
  readonly http: HostileHttp;
  readonly answer: RpcMessage;
  readonly server: ServerProcess;
}

/** The program lists the tools of the server and calls one; `judge` says what the server achieved. */
function meets(
  harm: Harm,
  judge: (met: Met) => string | undefined | Promise<string | undefined>,
  { type, ...more }: Partial<Way> & { readonly type?: "sse" } = {},
): Way {
  return {
    does: driven(async (scene: Scene) => {
      await using http = new HostileHttp();
      const servers = { far: { url: http.url(harm), headers: harm === "metadata elsewhere" ? {} : KEYS, type } };
      const flags = (bench: { readonly parent: string; write(path: string, text: string): string }) => [
        "--mcp-config",
        bench.write(`${bench.parent}/mcp.json`, JSON.stringify({ mcpServers: servers })),
      ];
      return await withServer(scene, { flags, permissions: HTTP_PERMISSIONS }, async (server) => {
        await server.request("tools/list");
        const answer = await server.request("tools/call", { name: "far_do", arguments: {} });
        return await judge({ http, answer, server });
      });
    }),
    ...more,
  };
}

/** What the other server has heard. */
function heardElsewhere({ http }: Pick<Met, "http">): string | undefined {
  const [first] = http.elsewhere;
  return first && `${first.method} ${JSON.stringify([...first.headers])}`;
}

/** A client that does what any server says. */
function naive(act: (http: HostileHttp) => Promise<string | undefined>): Pick<Way, "control"> {
  return {
    control: driven(async () => {
      await using http = new HostileHttp();
      return await act(http);
    }),
  };
}

function post(url: string): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "do" } });
  return fetch(url, { method: "POST", headers: { ...KEYS, "content-type": "application/json" }, body });
}

/** The call has ended with the error, and the program is as small as before. */
async function isSpent({ http, answer, server }: Met, expected: RegExp): Promise<string | undefined> {
  const text = JSON.stringify(answer);
  if (!expected.test(text)) return `the call was answered: ${text.slice(0, 300)}`;
  if (http.taken > 64) return `${http.taken} MiB were read`;
  const { residentMiB } = await holdingsOf(server.pid);
  return residentMiB > MOST_MIB ? `the program holds ${residentMiB} MiB` : undefined;
}

const TOO_LONG = /more than 16 MiB/;

export const HTTP_SERVERS: readonly Row[] = [
  {
    id: "V20",
    title: "a server at an address sends the program elsewhere",
    users: BOTH,
    alikeForRoot: "the program decides what it asks",
    aim: "evidence",
    ways: {
      "a redirect to another origin": meets("redirects", heardElsewhere, {
        ...naive(async (http) => {
          await (await post(http.url("redirects"))).body?.cancel();
          return heardElsewhere({ http });
        }),
      }),
      "the endpoint of the older transport": meets("endpoint elsewhere", heardElsewhere, {
        type: "sse",
        ...naive(async (http) => {
          const text = await (await fetch(http.url("endpoint elsewhere"))).text();
          await (await post(/data: (\S+)/.exec(text)?.[1] ?? "")).body?.cancel();
          return heardElsewhere({ http });
        }),
      }),
      "metadata for a login that no person asked for": meets("metadata elsewhere", heardElsewhere, {
        ...naive(async (http) => {
          const response = await post(http.url("metadata elsewhere"));
          const place = /"(.*)"/.exec(response.headers.get("www-authenticate") ?? "")?.[1] ?? "";
          await (await fetch(place)).body?.cancel();
          return heardElsewhere({ http });
        }),
      }),
      "cookies": meets("cookies", ({ http }) => http.heard.find(({ headers }) => headers.has("cookie"))?.method, {
        noControl: "no client without cookies of its own sends any",
      }),
    },
  },
  {
    id: "V21",
    title: "a server at an address uses up the program",
    users: BOTH,
    alikeForRoot: "the program bounds what it reads",
    aim: "evidence",
    ways: {
      "a body without end": meets("endless body", (met) => isSpent(met, TOO_LONG), {
        ...naive(async (http) => {
          const reader = (await post(http.url("endless body"))).body?.getReader();
          while (http.taken <= 64) await reader?.read();
          await reader?.cancel();
          return `${http.taken} MiB were read`;
        }),
      }),
      "an event without end": meets("endless event", (met) => isSpent(met, TOO_LONG), {
        noControl: "it would be that of the body",
      }),
      "an event without end by the older transport": meets("endless event of the older transport", async (met) => {
        const again = await met.server.call("far_do");
        return again.text === "done" ? await isSpent(met, TOO_LONG) : `the next call was answered: ${again.text}`;
      }, { type: "sse", noControl: "it would be that of the body" }),
      "a small body that becomes a large one": meets("compressed", (met) => isSpent(met, TOO_LONG), {
        ...naive(async (http) => {
          const { byteLength } = await (await post(http.url("compressed"))).arrayBuffer();
          return byteLength > 64 * 1024 * 1024 ? `${byteLength} bytes` : undefined;
        }),
      }),
      "requests without end": meets("asks", (met) => isSpent(met, /"done"/), {
        noControl: "the program's own client is the only one that answers",
      }),
      "a stream to open again at once": meets("reconnects", async ({ http, server }) => {
        // Each call takes a while: what comes in this time is counted.
        for (let call = 0; call < 20; call++) await server.call("far_do");
        const streams = http.heard.filter(({ method }) => method === "GET").length;
        return streams > 10 ? `${streams} streams` : undefined;
      }, { noControl: "the program's own client is the only one that opens it again" }),
      "a refusal with hidden characters": meets("hidden", (met) => {
        const text = JSON.stringify(met.answer);
        return /\\u001b|[\u200b\u202e]|y{1000}/u.test(text) ? text.slice(0, 300) : undefined;
      }, {
        ...naive(async (http) => {
          const text = await (await post(http.url("hidden"))).text();
          return /[\u200b\u202e]/u.test(text) ? "hidden" : undefined;
        }),
      }),
    },
  },
];
