import type { Definition } from "../definitions/definition.ts";
import { type Withheld, withheldBecause } from "../definitions/pins.ts";
import type { UpstreamServer } from "./upstream_server.ts";

const BECAUSE: Readonly<Record<Withheld, string>> = {
  changed: "the server changed its definition since it was approved",
  new: "it came after the server was approved",
  beyond: "the server has shown more tools than can be kept",
};

/** Why a person must approve what a server has before it is offered, with the way out; undefined: it is. */
export function withheldReason({ record, spec }: UpstreamServer, definition: Definition): string | undefined {
  const withheld = record === undefined ? undefined : withheldBecause(record, definition, spec.pin);
  if (withheld === undefined) return undefined;
  return `${BECAUSE[withheld]}. A person reads "ahma_mcp servers diff ${spec.name}" and then runs ` +
    `"ahma_mcp servers approve ${spec.name}"`;
}
