/** The page of operations (V4, SEP-1865): its text, and what it reads here. The host passes requests on. */
import type { ReadResourceResult, Tool } from "@modelcontextprotocol/server";
import { listedOperation } from "../../control/server/shown_server.ts";
import { isEnded } from "../../operation/operation.ts";
import { APP_MIME_TYPE } from "../questions/app_capability.ts";
import { statusLine } from "../result/closing_line.ts";
import { listedName } from "../result/listed_texts.ts";
import type { Service } from "../service.ts";

const APP_URI = "ui://ahma/operations";
const TOOL = "status";
/** Behind the page's address: `state`, or `output` and an operation. */
const PART = new RegExp(`^${APP_URI}/(?:(state)|output/(\\w+))$`);
/** The key of this server in what the page reads. */
const KEY = "this";
/** Of the output of one operation, bytes. */
const MOST_OUTPUT = 256 * 1024;

/** The tools, with the page named by the one whose results it shows. */
export function withApp({ settings, registry, appPage }: Service, tools: readonly Tool[]): Tool[] {
  const isOffered = appPage !== undefined && !registry.byIdOnly;
  const name = listedName({ settings }, TOOL);
  return tools.map((tool) =>
    isOffered && tool.name === name ? { ...tool, _meta: { ...tool._meta, ui: { resourceUri: APP_URI } } } : tool
  );
}

/** The page, or what it reads; undefined: `uri` names something else. */
export async function readApp(service: Service, uri: string): Promise<ReadResourceResult | undefined> {
  if (service.appPage === undefined || service.registry.byIdOnly) return undefined;
  if (uri === APP_URI) {
    return {
      contents: [{
        uri,
        mimeType: APP_MIME_TYPE,
        text: await service.appPage(),
        _meta: { ui: { prefersBorder: true } },
      }],
    };
  }
  const [, state, id] = PART.exec(uri) ?? [];
  const value = state !== undefined ? stateOf(service) : id !== undefined ? await outputOf(service, id) : undefined;
  return value && { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(value) }] };
}

/** In the form of the dashboard's events. */
function stateOf({ registry, shells, scope, settings, info }: Service): object {
  const operations = registry.list().map((operation) =>
    listedOperation(operation, { registry, ...shells !== undefined && { shells } }, {
      describeEnd: statusLine,
      usage: true,
    })
  );
  const server = {
    key: KEY,
    pid: Deno.pid,
    version: info.version,
    mode: "stdio",
    scopes: scope.roots,
    sandbox: settings.sandbox.summary,
    operations,
    sessions: shells?.list() ?? [],
  };
  return { kind: "state", now: Date.now(), servers: [server] };
}

/** The last part of an output, as the dashboard's events have it; undefined: there is no such operation. */
async function outputOf({ registry }: Service, id: string): Promise<object | undefined> {
  const operation = registry.get(id);
  if (operation === undefined) return undefined;
  const { totalBytes } = operation.output;
  const { offset, bytes } = await operation.output.read(Math.max(0, totalBytes - MOST_OUTPUT), MOST_OUTPUT);
  return {
    from: offset,
    data: bytes.toBase64(),
    ...isEnded(operation.state) && { end: statusLine(operation) },
  };
}
