/** V22: a server at an address that writes what no HTTP library would write. */
import { HTTP_PERMISSIONS } from "../../../scripts/permissions.ts";
import { withDeadline } from "../../_support/deadline.ts";
import type { RpcMessage } from "../../_support/json_rpc.ts";
import { BOTH, type Row, type Scene, type Way } from "../frame/attack.ts";
import { driven, withServer } from "../frame/stage.ts";
import { askNaively, INJECTED, type RawHarm, RawHttp } from "./raw_http.ts";

/** The program lists the tools of the server and calls one; `judge` says what the server achieved. */
function meets(
  harm: RawHarm,
  judge: (raw: RawHttp, answer: RpcMessage) => string | undefined | Promise<string | undefined>,
): Way["does"] {
  return driven(async (scene: Scene) => {
    await using raw = new RawHttp();
    const servers = { far: { url: raw.url(harm), timeoutSeconds: 1 } };
    const flags = (bench: { readonly parent: string; write(path: string, text: string): string }) => [
      "--mcp-config",
      bench.write(`${bench.parent}/mcp.json`, JSON.stringify({ mcpServers: servers })),
    ];
    return await withServer(scene, { flags, permissions: HTTP_PERMISSIONS }, async (server) => {
      await server.request("tools/list");
      const answer = await server.request("tools/call", { name: "far_do", arguments: {} });
      if (raw.heads.length === 0) throw new Error("The program has asked nothing");
      return await judge(raw, answer);
    });
  });
}

/** A head with a line that only the server has written. */
function injected({ heads }: RawHttp): string | undefined {
  return heads.find((head) => /^x-injected:/im.test(head));
}

/** The server puts a header into what the program repeats in its requests. */
function injects(harm: RawHarm, header: string): Way {
  return {
    does: meets(harm, injected),
    control: driven(async () => {
      await using raw = new RawHttp();
      await askNaively(raw.url(harm), header);
      return injected(raw);
    }),
  };
}

export const RAW_SERVERS: readonly Row[] = [
  {
    id: "V22",
    title: "a server at an address writes what no HTTP library would write",
    users: BOTH,
    alikeForRoot: "the program decides what it asks and how long it waits",
    aim: "evidence",
    ways: {
      "a header in the id of its session": injects("session", `Mcp-Session-Id: a\r\n${INJECTED}`),
      "a header in its version of the protocol": injects("version", `Mcp-Protocol-Version: 2025-11-25\r\n${INJECTED}`),
      "an answer that drips without end": {
        does: meets("drip", async ({ left }, answer) => {
          const text = JSON.stringify(answer);
          if (!text.includes("did not answer tools/call within 1 s")) return `the call was answered: ${text}`;
          await withDeadline(left.promise, 10_000, "the program to read no more");
          return undefined;
        }),
        noControl: "a client without a limit waits as long as the server writes",
      },
    },
  },
];
