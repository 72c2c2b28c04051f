import assert from "node:assert/strict";
import { describeDiagnostic } from "../../base/diagnostic.ts";
import { expressionProblem } from "./expression.ts";
import { readFlow } from "./read_flow.ts";

/** Every form of an action and of an arm. */
const ALL = `---
title: All
description: Every form
parameters:
  - name: target
    required: true
---
# All

\`\`\`mermaid
stateDiagram-v2
    direction LR
    [*] --> ask
    ask --> build: result.content.contains("YES")
    ask --> stop: default
    build --> part: success
    build --> stop: On Failure
    state part <<fork>>
    state both <<join>>
    part --> one
    part --> two
    one --> both
    two --> both
    both --> sub
    sub --> wait: always
    wait --> note
    note --> user
    user --> tool
    tool --> keep
    keep --> [*]
    stop --> [*]
\`\`\`

## Actions

- ask: Execute Prompt "plan" with target="{{ target }}" expect="yes_no" result="answer"
- build: shell "cargo build {{ target }}" with timeout=60 working_directory="sub" env={"A": "{{ target }}"} result="log"
- one: set done="\${answer}"
- two: set_variable other='x "y"'
- sub: run workflow "other" with a="b"
- wait: Wait 2 minutes
- note: log warning "half done"
- user: wait for user input
- tool: tool "cargo_test" with package="{{ target }}"
- keep: Think about it.
- stop: abort with message "stopped: {{ result.content }}"
`;

async function diagnosticsOf(text: string): Promise<readonly string[]> {
  return (await readFlow({ name: "f", file: "f.md", text })).diagnostics.map(describeDiagnostic);
}

Deno.test("K7 a file with every form of action and arm becomes a flow", async () => {
  const { flow, diagnostics } = await readFlow({ name: "all", file: "all.md", text: ALL });
  assert.deepEqual(diagnostics, []);
  const states = [...flow?.states.values() ?? []].map(({ name, kind, action, arms }) =>
    `${name} ${kind} ${action?.action.kind ?? "-"} ${
      arms.map(({ to, condition }) => `${condition.kind}>${to}`).join(" ")
    }`
  );
  assert.deepEqual(states, [
    "ask normal prompt expression>build default>stop",
    "build normal shell success>part failure>stop",
    "stop normal abort always>[*]",
    "part fork - always>one always>two",
    "both join - always>sub",
    "one normal set always>both",
    "two normal set always>both",
    "sub normal run always>wait",
    "wait normal wait always>note",
    "note normal log always>user",
    "user normal ask always>tool",
    "tool normal tool always>keep",
    "keep normal - always>[*]",
  ]);
  assert.deepEqual(flow?.states.get("build")?.action, {
    action: {
      kind: "shell",
      command: ["cargo build ", { path: ["target"] }],
      options: { timeoutSeconds: 60, directory: ["sub"], environment: { A: [{ path: ["target"] }] } },
    },
    result: "log",
  });
});

/** A file with one fault, and how it is told. */
function flowWith(diagram: string, actions = ""): string {
  return `\`\`\`mermaid\nstateDiagram-v2\n${diagram}\n\`\`\`\n## Actions\n${actions}\n`;
}

const FAULTS: readonly (readonly [text: string, told: string])[] = [
  ["# no diagram\n", "f.md:1:1: error: There is no diagram: add a block of mermaid with stateDiagram-v2"],
  [flowWith("a --> [*]"), 'f.md:1:1: error: The flow has no start: add a line as in "[*] --> first"'],
  [flowWith("[*] --> a\na --> b\nb --> a"), 'f.md:3:1: error: From state "a" no path leads to the end "[*]"'],
  [
    flowWith("[*] --> a\na --> b\na --> [*]: x > 1\nb --> [*]"),
    'f.md:4:1: error: The arms after this one are never taken: give "a --> b" a label',
  ],
  [flowWith("[*] --> a\na --> [*]: x =="), 'f.md:4:1: error: "x ==" is not a condition: Unexpected token: EOF'],
  [
    flowWith('[*] --> a\na --> [*]: x.matches("(a+)+$")'),
    'f.md:4:1: error: "matches" is not allowed in a condition: use contains, startsWith, endsWith or size',
  ],
  [flowWith("[*] --> a\na ==> b"), 'f.md:4:1: error: "a ==> b" is not a known line of a state diagram'],
  [
    flowWith("[*] --> a\na --> [*]", '- a: shell "echo `{{ x }}`"'),
    "f.md:7:1: error: A line with ` takes no values, because they would be read as commands; " +
    "pass them with env={...}, or use a script of the project",
  ],
  [
    flowWith("[*] --> a\na --> [*]", "- a: wait 2 days"),
    "f.md:7:1: error: wait takes a time of at most a day, " +
    'as in "wait 5 seconds", or "wait for user input"',
  ],
  [
    flowWith("[*] --> a\na --> [*]", '- b: log "x"'),
    'f.md:7:1: warning: The action of "b" is never run: the diagram has no such state',
  ],
];

for (const [text, told] of FAULTS) {
  Deno.test(`K7 ${told}`, async () => assert.equal((await diagnosticsOf(text))[0], told));
}

Deno.test("K7 a comment does not hide a call that may take without end", async () => {
  assert.match(await expressionProblem('x.matches // a pattern\n ("(a+)+$")') ?? "", /^"matches" is not allowed/);
});

Deno.test("K7 a line that would be read for long is refused", async () => {
  const text = `\`\`\`mermaid\nstateDiagram-v2\n[*] --> a${" ".repeat(60_000)}!\n\`\`\`\n`;
  const { flow, diagnostics } = await readFlow({ name: "f", file: "f.md", text });
  assert.deepEqual([flow, diagnostics.map(({ line, message }) => `${line}: ${message}`)], [
    undefined,
    ["3: The line has 60010 characters, at most 4000 are read"],
  ]);
});
