/** V22: a server at an address that writes what no HTTP library would write. */
import { HTTP_PERMISSIONS } from "../../../scripts/permissions.ts";
import { withDeadline } from "../../_support/deadline.ts";
import type { RpcMessage } from "../../_support/json_rpc.ts";
import type { Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row, type Scene } from "../frame/attack.ts";
import { driven, together, withServer } from "../frame/stage.ts";
import { BEHIND } from "./hostile_server.ts";
import { askNaively, INJECTED, type RawHarm, RawHttp } from "./raw_http.ts";

interface Meeting {
  readonly harm: RawHarm;
  /** What the server achieved. */
  readonly judge: (raw: RawHttp, answer: RpcMessage) => string | undefined | Promise<string | undefined>;
}

const MEETINGS: Readonly<Record<string, Meeting>> = {
  "a header in the id of its session": { harm: "session", judge: injected },
  "a header in its version of the protocol": { harm: "version", judge: injected },
  "an answer that drips without end": {
    harm: "drip",
    judge: async ({ left }, answer) => {
      const text = JSON.stringify(answer);
      if (!text.includes("did not answer tools/call within 1 s")) return `the call was answered: ${text}`;
      await withDeadline(left.promise, 10_000, "the program to read no more");
      return undefined;
    },
  },
};

/** One program lists the tools of all these servers and calls one of each, in turn. */
async function meetAll(scene: Scene): Promise<string | undefined> {
  await using stack = new AsyncDisposableStack();
  const met = Object.entries(MEETINGS).map(([about, meeting]) => {
    return [about, { ...meeting, raw: stack.use(new RawHttp()) }] as const;
  });
  const servers = Object.fromEntries(met.map(([, { harm, raw }]) => [harm, { url: raw.url(harm), timeoutSeconds: 1 }]));
  const flags = (bench: Workbench) => [
    "--mcp-config",
    bench.write(`${bench.parent}/mcp.json`, JSON.stringify({ mcpServers: servers })),
  ];
  return await withServer(scene, { flags, permissions: HTTP_PERMISSIONS }, async (server) => {
    await server.request("tools/list");
    return await together(scene, Object.fromEntries(met), async ({ harm, judge, raw }) => {
      const answer = await server.request("tools/call", { name: `${harm}_do`, arguments: {} });
      if (raw.heads.length === 0) throw new Error("The program has asked nothing");
      return await judge(raw, answer);
    });
  });
}

/** A head with a line that only the server has written. */
function injected({ heads }: RawHttp): string | undefined {
  return heads.find((head) => /^x-injected:/im.test(head));
}

/** What a client repeats that takes any header; one without a limit waits as long as the server writes. */
const REPEATED: Readonly<Record<string, string>> = {
  session: `Mcp-Session-Id: a\r\n${INJECTED}`,
  version: `Mcp-Protocol-Version: 2025-11-25\r\n${INJECTED}`,
};

async function repeats(header: string): Promise<string | undefined> {
  await using raw = new RawHttp();
  await askNaively(raw.url("session"), header);
  return injected(raw);
}

export const RAW_SERVERS: readonly Row[] = [
  {
    id: "V22",
    title: "a server at an address writes what no HTTP library would write",
    users: BOTH,
    alikeForRoot: "the program decides what it asks and how long it waits",
    aim: "evidence",
    ways: {
      [Object.keys(MEETINGS).join(", ")]: {
        does: driven(meetAll),
        control: driven((scene) => together(scene, REPEATED, repeats)),
        sharedServer: BEHIND,
      },
    },
  },
];
