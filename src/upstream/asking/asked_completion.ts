/** A completion that a server asks of the client's model: what clients know of it, cleaned (O2). Pure. */
import { type CreateMessageRequestParams, specTypeSchemas } from "@modelcontextprotocol/server";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { cleaned } from "../definitions/definition.ts";
import { withOurUris } from "../definitions/foreign_uri.ts";

/**
 * The parameters for the client, with links rewritten to our addresses; the problem says why they are not sent. The
 * context of other servers (`includeContext`) is not asked for: the client would take ours, with all servers behind it.
 */
export function askedCompletion(server: string, params: unknown): Outcome<Readonly<Record<string, unknown>>> {
  const known = specTypeSchemas.CreateMessageRequestParams["~standard"].validate(params);
  if (known.issues !== undefined) return failure("its request is not one for a completion");
  const { messages, tools, _meta, task: _task, includeContext: _context, ...rest } = known.value;
  const sent = {
    ...rest,
    messages: messages.map(({ role, content }) => ({ role, content: contentOf(server, content) })),
    ...tools !== undefined && {
      tools: tools.map(({ name, title, description, inputSchema, annotations }) => ({
        name,
        title,
        description,
        inputSchema,
        annotations,
      })),
    },
  };
  return success(cleaned(sent) as Readonly<Record<string, unknown>>); // an object, and stays one
}

type Content = CreateMessageRequestParams["messages"][number]["content"];

function contentOf(server: string, content: Content): unknown {
  return Array.isArray(content) ? content.map((block) => blockOf(server, block)) : blockOf(server, content);
}

function blockOf(server: string, { _meta, ...block }: Exclude<Content, readonly unknown[]>): unknown {
  if (block.type !== "tool_result") return block;
  return { ...block, content: block.content.map((part) => withOurUris(server, part)) };
}
