/** `doctor --sandbox` (S3): a table of what the sandbox of these settings denies on this machine. */
import { withLibc } from "../../../system/libc.ts";
import { supportedProcessor } from "../../../sandbox/policy/prerequisites.ts";
import { type Colours, colours } from "../../terminal/colours.ts";
import { compose, type ComposeOptions } from "../../../app/compose_service.ts";
import { mayColour, print } from "../../terminal/print.ts";
import { type Enforcement, type SandboxFacts, type SandboxRow, sandboxRows } from "./sandbox_rows.ts";

/** Prints the table, as JSON where asked. @throws {UserError} when the server would not start */
export async function doctorSandbox(composing: ComposeOptions, { json }: { readonly json: boolean }): Promise<number> {
  await using program = await compose(composing);
  const policy = await program.runner.policy;
  const { missing } = program.sandbox;
  if (policy === undefined && program.service.settings.sandbox.enforced) {
    const rows = missing.map((gap) => ({ state: "not here", capability: gap }));
    const text = `Seatbelt confines commands. Not enforced on this system:\n${
      missing.map((gap) => `- ${gap}\n`).join("")
    }`;
    await print(json ? `${JSON.stringify({ sandbox: true, rows }, null, 2)}\n` : text);
    return 0;
  }
  if (policy === undefined) {
    await print(json ? '{"sandbox":false,"rows":[]}\n' : "off (--no-sandbox): nothing is denied\n");
    return 0;
  }
  const rows = sandboxRows({
    policy,
    namespaceSettings: policy.namespaces ? [] : namespaceSettings(),
    hidden: program.sandbox.guard?.hidden.length ?? 0,
    temporaryFiles: composing.settings.sandbox.temporaryFiles,
  });
  const text = () => rowsText(rows, colours(mayColour(composing.environment)));
  await print(json ? `${JSON.stringify({ sandbox: true, rows }, null, 2)}\n` : text());
  return 0;
}

/** Kernel settings that refuse namespaces to users, where they have the refusing value. */
const REFUSALS: readonly (readonly [name: string, value: string])[] = [
  ["kernel/unprivileged_userns_clone", "0"],
  ["kernel/apparmor_restrict_unprivileged_userns", "1"],
  ["user/max_user_namespaces", "0"],
  ["user/max_mnt_namespaces", "0"],
  ["user/max_pid_namespaces", "0"],
];

function namespaceSettings(): SandboxFacts["namespaceSettings"] {
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  if (!processor.ok) return [];
  return withLibc((libc) => REFUSALS.filter(([name, value]) => libc.readProc(`/proc/sys/${name}`)?.trim() === value))
    .map(([name, value]) => `${name.replace("/", ".")}=${value}`);
}

/** The table as text, a line for each row: state, capability, reason. */
export function rowsText(rows: readonly SandboxRow[], { bold, green, yellow, red }: Colours): string {
  const paint: Readonly<Record<Enforcement, (text: string) => string>> = {
    "enforced": green,
    "partly": yellow,
    "not here": red,
    "allowed": yellow,
  };
  const column = Math.max(...rows.map(({ capability }) => capability.length)) + 2;
  const lines = rows.map(({ state, capability, reason }) =>
    `${paint[state](state.padEnd(10))}${capability.padEnd(column)}${reason}`
  );
  return `${bold("What the sandbox denies")}\n\n${lines.join("\n")}\n`;
}
