/**
 * The whole-program tests of `deno task ok`, by area, with the reason for each choice. They cover the promises that a
 * change breaks first, and take some 50 s of processor time, a quarter of the commit gate. The filter of system calls,
 * the kept proof and prompts have unit tests in `ok`. `deno task ok:full` runs all of `tests/`.
 */
export const SELECTION: Readonly<Record<string, readonly string[]>> = {
  // The sandbox is the product: what commands may do, what they may not, and that both are noticed.
  sandbox: [
    "tests/sandbox_test.ts",
    "tests/denials_test.ts",
    "tests/selftest_test.ts",
  ],
  // A call from its request to its end, cancelled or in steps.
  calls: [
    "tests/execution_test.ts",
    "tests/builtin_tools_test.ts",
    "tests/sequence_test.ts",
  ],
  // Tool files: read, checked and read again.
  tools: ["tests/hot_reload_test.ts", "tests/tools_guide_test.ts", "tests/mutations_test.ts"],
  // The protocol on both transports, with clients that follow it and clients that do not.
  protocol: [
    "tests/wire/wire_test.ts",
    "tests/wire/stdio_test.ts",
    "tests/http/http_test.ts",
    "tests/delivery_eras_test.ts",
  ],
  // Other servers behind ours: their sandboxes, their calls, and what they may change.
  servers: [
    "tests/servers_test.ts",
    "tests/servers_trust_test.ts",
  ],
  // Native tools: their worker in the sandbox.
  toolbox: [
    "tests/toolbox_test.ts",
  ],
  // What a person types and reads.
  terminal: ["tests/cli_call_test.ts", "tests/cli_validate_test.ts"],
  // What holds the repository together; these start the program once.
  repository: [
    "tests/architecture_test.ts",
    "tests/attacks_test.ts",
    "tests/citations_test.ts",
    "tests/requirements_test.ts",
    "tests/readme_test.ts",
  ],
};

/** Every selected file, those of long runs first. */
export const SELECTED: readonly string[] = Object.values(SELECTION).flat();

/**
 * What the full gate runs with the executable, and not with the packed program: its own tests, and those that meet what
 * is different in it: how it starts and is started again, what it hands to commands, what it lets them reach.
 */
export const WITH_EXECUTABLE: readonly string[] = [
  // As root these rows run here only: the ordinary user tries them with the packed program.
  "tests/attacks/own_root_test.ts",
  "tests/executable/empty_root_test.ts",
  "tests/executable/arm64_test.ts",
  "tests/executable/hostile_start_test.ts",
  "tests/executable/start_line_test.ts",
  "tests/cli_doctor_test.ts",
  "tests/servers_tried_test.ts",
  "tests/wire/stdio_test.ts",
  "tests/selftest_test.ts",
  "tests/toolbox_test.ts",
];

if (import.meta.main) {
  const files = Deno.args[0] === "executable" ? WITH_EXECUTABLE : SELECTED;
  Deno.stdout.writeSync(new TextEncoder().encode(`${files.join(" ")}\n`));
}
