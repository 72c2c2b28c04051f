/** The subcommands that show a person what agents run, and end it (V1, X24). */
import type { Row } from "./subcommand.ts";

/** In the order of the help. */
export const OPERATION_SUBCOMMANDS = {
  "attach": {
    summary: "See what an operation of a running server writes, and type into it",
    usage: "OPERATION | SESSION",
    operands: "operation",
    details: [
      "OPERATION is an id such as op_P48D4J7W, of any server of yours on this machine; SESSION is the name of a shell that an " +
      "agent keeps. Without a name, attach lists what runs.",
      "What it wrote last is shown first. With a terminal (tty), it gets your keys and the size of your terminal; with a pipe " +
      "(input), it gets your lines, and ctrl-d ends it. ctrl-] detaches, and the operation continues. In a pipe, " +
      "attach only prints the output, as plain text.",
      "Exit codes: that of the operation, as call has it; 0 after you detached; 1 when there is nothing to attach to.",
    ],
    examples: [
      ["ahma_mcp attach op_P48D4J7W", "Answer the password prompt that an agent met"],
      ["ahma_mcp attach dev", "Watch the shell that an agent calls dev"],
      ["ahma_mcp attach op_P48D4J7W | grep -i error", "Only some lines of a build"],
    ],
  },
  "ps": {
    summary: "List what the servers of all your agents run",
    usage: "[--watch] [--json]",
    flags: ["watch", "json"],
    details: [
      "Each line is an operation: how long it has run, processor time and memory of its processes, client and project. Those " +
      "that run come first, then those that wait and the last that ended. Where nothing runs, ps lists the servers.",
      "--watch shows each change until ctrl-c. In a pipe it prints a line for each operation that begins or " +
      "ends, with --json a document in a line for each change.",
      "Only servers of your own user are seen, as root too: sudo -u NAME ahma_mcp ps lists those of another user. The exit " +
      "code is 1 if a server does not answer.",
    ],
    examples: [
      ["ahma_mcp ps", "What runs, and what ended last"],
      ["ahma_mcp ps --watch", "The same, as it changes"],
      ["ahma_mcp ps --json | jq '.servers[].operations[].id'", "For programs"],
    ],
  },
  "logs": {
    summary: "Print what an operation of a running server wrote",
    usage: "OPERATION [--follow]",
    operands: "operation",
    flags: ["follow"],
    details: [
      "OPERATION is an id of ahma_mcp ps, its beginning, or SERVER/ID where several servers have it. The server keeps the " +
      "output of ended operations too, until newer ones take its place.",
      "--follow prints what is written until the operation ends. The last line, on stderr, says how it ended. On a " +
      "terminal colours are the only control sequences.",
    ],
    examples: [
      ["ahma_mcp logs op_P48D4J7W", "All that is kept"],
      ["ahma_mcp logs p48 --follow", "The beginning of an id is enough"],
      ["ahma_mcp logs op_P48D4J7W | less", "Page by page"],
    ],
  },
  "kill": {
    summary: "End operations of running servers with all their processes",
    usage: "OPERATION...",
    operands: "operations",
    details: [
      "OPERATION is as for logs. It ends as if its agent had cancelled it, and the agent is told that you did. The audit log " +
      "gets a line of it. The exit code is 1 if one was not ended.",
    ],
    examples: [
      ["ahma_mcp kill op_P48D4J7W", "End it, and wait until no process is left"],
      ["ahma_mcp kill 4711/op_P48D4J7W", "That of one server"],
    ],
  },
  "audit": {
    summary: "Summarize audit logs: what ran, what was denied, which hosts were used",
    usage: "[--since 7d] [--tool TOOL] [--in DIRECTORY] [--denials] [FILE]...",
    operands: "paths",
    flags: ["since", "tool", "in", "denials", "json"],
    details: [
      "It reads the log of your settings (audit_log), and those that your running servers write to. With a FILE it reads that " +
      "alone, such as one that was rotated. A file may have any size.",
      "The table has tools, and the first program of each shell line: runs, failures, denials and time. Then come the " +
      "denials with the narrowest flag that allows them, and hosts with connections and bytes.",
      "Lines that are cut off are counted on stderr, and the exit code is 1.",
    ],
    examples: [
      ["ahma_mcp audit", "What all agents did in the last seven days"],
      ["ahma_mcp audit --since 24h --in ~/web", "In one project, since yesterday"],
      ["ahma_mcp audit --denials", "Only what was denied"],
      ["ahma_mcp audit --tool sandboxed_shell --json | jq '.ran[]'", "For programs"],
    ],
  },
  "dashboard": {
    summary: "Show what the servers of all your agents run, on a page in your browser",
    usage: "[--port PORT] [--no-open]",
    flags: ["port", "no-open"],
    details: [
      "It prints an address with a token, opens it on a terminal, and serves it on 127.0.0.1 until ctrl-c. The page shows " +
      "operations with live output, ends them, types into their terminals, answers questions of --ask, and takes back " +
      "what --undo keeps.",
      "A person with the address can do all that. The address is new each time, and only servers of your own user are seen.",
    ],
    examples: [
      ["ahma_mcp dashboard", "Open the page"],
      [
        "ahma_mcp dashboard --no-open --port 4000",
        "Print the address only, for a tunnel such as ssh -L 4000:127.0.0.1:4000",
      ],
    ],
  },
} as const satisfies Readonly<Record<string, Row>>;
