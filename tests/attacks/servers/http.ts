/** V20 and V21: a server at an address that means harm to what the program knows, or to the program itself. */
import { HTTP_PERMISSIONS } from "../../../scripts/permissions.ts";
import { until } from "../../_support/deadline.ts";
import { lowestResident } from "../../_support/processes.ts";
import type { RpcMessage, ToolAnswer } from "../../_support/json_rpc.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import type { Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row, type Scene, type Way } from "../frame/attack.ts";
import { driven, together, withServer } from "../frame/stage.ts";
import { type Harm, HostileHttp } from "./hostile_http.ts";
import { BEHIND } from "./hostile_server.ts";

/** What the entry of the server has, for it alone. */
const KEYS = { "X-Api-Key": "key-42", "Authorization": "Bearer key-42" };
/** These servers refuse before they list a tool. */
const UNLISTED: readonly Harm[] = ["redirects", "endpoint elsewhere", "metadata elsewhere"];
/** Milliseconds until a server behind has listed its tools. */
const LISTED = 5_000;
/** What it holds after it has read as much as a message may have. */
const MOST_MIB = 400;

interface Met {
  readonly http: HostileHttp;
  readonly answer: RpcMessage;
  readonly server: ServerProcess;
  /** Calls the tool of the server. */
  readonly call: () => Promise<ToolAnswer>;
}

interface Meeting {
  readonly harm: Harm;
  readonly type?: "sse";
  /** What the server achieved. */
  readonly judge: (met: Met) => string | undefined | Promise<string | undefined>;
  /** What a client achieves that does what any server says; absent where there is none. */
  readonly naive?: (http: HostileHttp) => Promise<string | undefined>;
}

/** One program lists the tools of all these servers and calls one of each, in turn. */
function meets(meetings: Readonly<Record<string, Meeting>>): Way {
  const naive = Object.entries(meetings).filter(([, one]) => one.naive !== undefined);
  return {
    does: driven((scene) => meetAll(scene, meetings)),
    sharedServer: BEHIND,
    ...naive.length === 0 ? { noControl: "it would be that of another way, or there is no other client" } : {
      control: driven((scene) =>
        together(scene, Object.fromEntries(naive), async ({ naive }) => {
          await using http = new HostileHttp();
          return await naive?.(http);
        })
      ),
    },
  };
}

async function meetAll(scene: Scene, meetings: Readonly<Record<string, Meeting>>): Promise<string | undefined> {
  await using stack = new AsyncDisposableStack();
  const all = Object.entries(meetings).map(([about, meeting], at) => {
    return [about, { meeting, name: `far${at}`, http: stack.use(new HostileHttp()) }] as const;
  });
  const servers = Object.fromEntries(all.map(([, { meeting: { harm, type }, name, http }]) => {
    return [name, { url: http.url(harm), headers: harm === "metadata elsewhere" ? {} : KEYS, type }];
  }));
  const flags = (bench: Workbench) => [
    "--mcp-config",
    bench.write(`${bench.parent}/mcp.json`, JSON.stringify({ mcpServers: servers })),
  ];
  return await withServer(scene, { flags, permissions: HTTP_PERMISSIONS }, async (server) => {
    const listed = all.filter(([, { meeting }]) => !UNLISTED.includes(meeting.harm)).map(([, { name }]) =>
      `"${name}_do"`
    );
    const areListed = async () => {
      const tools = JSON.stringify(await server.request("tools/list"));
      return listed.every((tool) => tools.includes(tool));
    };
    await until(areListed, LISTED, listed.join(", "));
    return await together(scene, Object.fromEntries(all), async ({ meeting, name, http }) => {
      const tool = `${name}_do`;
      const answer = await server.request("tools/call", { name: tool, arguments: {} });
      return await meeting.judge({ http, answer, server, call: () => server.call(tool) });
    });
  });
}

/** What the other server has heard. */
function heardElsewhere({ http }: Pick<Met, "http">): string | undefined {
  const [first] = http.elsewhere;
  return first && `${first.method} ${JSON.stringify([...first.headers])}`;
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
  const held = await lowestResident(server.pid, MOST_MIB);

  return held < MOST_MIB ? undefined : `the program holds ${held} MiB`;
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
      "redirects, endpoints, metadata and cookies": meets({
        "a redirect to another origin": {
          harm: "redirects",
          judge: heardElsewhere,
          naive: async (http) => {
            await (await post(http.url("redirects"))).body?.cancel();
            return heardElsewhere({ http });
          },
        },
        "the endpoint of the older transport": {
          harm: "endpoint elsewhere",
          type: "sse",
          judge: heardElsewhere,
          naive: async (http) => {
            const text = await (await fetch(http.url("endpoint elsewhere"))).text();
            await (await post(/data: (\S+)/.exec(text)?.[1] ?? "")).body?.cancel();
            return heardElsewhere({ http });
          },
        },
        "metadata for a login that no person asked for": {
          harm: "metadata elsewhere",
          judge: heardElsewhere,
          naive: async (http) => {
            const response = await post(http.url("metadata elsewhere"));
            const place = /"(.*)"/.exec(response.headers.get("www-authenticate") ?? "")?.[1] ?? "";
            await (await fetch(place)).body?.cancel();
            return heardElsewhere({ http });
          },
        },
        // No client without cookies of its own sends any.
        "cookies": {
          harm: "cookies",
          judge: ({ http }) => http.heard.find(({ headers }) => headers.has("cookie"))?.method,
        },
      }),
    },
  },
  {
    id: "V21",
    title: "a server at an address uses up the program",
    users: BOTH,
    alikeForRoot: "the program bounds what it reads",
    aim: "evidence",
    // What the program holds is looked at: those that make it hold much come last.
    ways: {
      "requests without end, a stream to open again at once, a refusal with hidden characters, bodies and events without end, a small body that becomes a large one":
        meets({
          // The program's own client is the only one that answers them, and opens the stream again.
          "requests": { harm: "asks", judge: (met) => isSpent(met, /"done"/) },
          "a stream": {
            harm: "reconnects",
            judge: async ({ http, call }) => {
              // Each call takes a while: what comes in this time is counted.
              for (let count = 0; count < 20; count++) await call();
              const streams = http.heard.filter(({ method }) => method === "GET").length;
              return streams > 10 ? `${streams} streams` : undefined;
            },
          },
          "a refusal": {
            harm: "hidden",
            judge: (met) => {
              const text = JSON.stringify(met.answer);
              return /\\u001b|[\u200b\u202e]|y{1000}/u.test(text) ? text.slice(0, 300) : undefined;
            },
            naive: async (http) => {
              const text = await (await post(http.url("hidden"))).text();
              return /[\u200b\u202e]/u.test(text) ? "hidden" : undefined;
            },
          },
          "an event": { harm: "endless event", judge: (met) => isSpent(met, TOO_LONG) },
          "an event by the older transport": {
            harm: "endless event of the older transport",
            type: "sse",
            judge: async (met) => {
              const again = await met.call();
              return again.text === "done" ? await isSpent(met, TOO_LONG) : `the next call was answered: ${again.text}`;
            },
          },
          "a small body": {
            harm: "compressed",
            judge: (met) => isSpent(met, TOO_LONG),
            naive: async (http) => {
              const { byteLength } = await (await post(http.url("compressed"))).arrayBuffer();
              return byteLength > 16 * 1024 * 1024 ? `${byteLength} bytes` : undefined;
            },
          },
          "a body": {
            harm: "endless body",
            judge: (met) => isSpent(met, TOO_LONG),
            naive: async (http) => {
              const reader = (await post(http.url("endless body"))).body?.getReader();
              while (http.taken <= 64) await reader?.read();
              await reader?.cancel();
              return `${http.taken} MiB were read`;
            },
          },
        }),
    },
  },
];
