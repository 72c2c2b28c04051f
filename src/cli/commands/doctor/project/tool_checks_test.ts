import assert from "node:assert/strict";
import type { CommandEnd } from "../../../../base/command/command_end.ts";
import type { CommandRunner } from "../../../../process/command_runner.ts";
import { settingsFor, typed } from "./project_check.ts";
import { judgeVersion, toolChecks } from "./tool_checks.ts";

Deno.test("L6 judgeVersion() compares with what a file asks for, and go fetches what is newer", () => {
  const of = (name: string, version: string, wanted: string) => {
    const { status, message } = judgeVersion({ name, file: "f", wanted: { version: wanted, file: ".v" } }, version);
    return [status, message];
  };
  assert.deepStrictEqual(of("node", "v20.1.0", "20"), ["ok", "v20.1.0 (f)"]);
  assert.deepStrictEqual(of("node", "v20.1.0", "2"), [
    "warning",
    "v20.1.0, but .v asks for 2: put that first on the PATH of the server",
  ]);
  assert.deepStrictEqual(of("go", "go version go1.22.3 linux/amd64", "1.9"), [
    "ok",
    "go version go1.22.3 linux/amd64 (f)",
  ]);
  assert.deepStrictEqual(of("go", "go version go1.22.3", "1.22.4"), [
    "ok",
    "go version go1.22.3; .v asks for 1.22.4, which it fetches",
  ]);
  const local = judgeVersion({ name: "go", file: "f", wanted: { version: "1.30", file: "go.mod" } }, "go1.22", {
    GOTOOLCHAIN: "local",
  });
  assert.strictEqual(local.status, "warning");
});

Deno.test("L6 toolChecks() tells how a program ends inside, and fails where nothing can run", async () => {
  const tried = async (end: CommandEnd, output: string) => {
    const runner: CommandRunner = {
      run: (_, { onOutput }) => {
        onOutput(new TextEncoder().encode(output));
        return Promise.resolve(end);
      },
    };
    const { signal: stop } = new AbortController();
    const bench = { runner, policy: undefined, scopes: [], sensitive: [], environment: {}, home: undefined, stop };
    const [row] = await toolChecks([{ name: "make", file: "Makefile", directory: "/p", wanted: undefined }], bench);
    return [row?.status, row?.message];
  };
  const exited = { kind: "exited", code: 1 } as const;
  assert.deepStrictEqual(await tried({ ...exited, code: 0 }, "\n GNU\x1b[31m Make\x07 4\nmore"), [
    "ok",
    "GNU Make 4 (Makefile)",
  ]);
  assert.deepStrictEqual(await tried(exited, "not installed\n"), [
    "warning",
    "(Makefile) ends with exit code 1: not installed",
  ]);
  const denials = [{
    operation: "program",
    subject: "x",
    reason: "x is not for commands",
    scope: [],
    flags: [],
  }] as const;
  assert.deepStrictEqual(await tried({ ...exited, denials }, "no"), [
    "warning",
    "(Makefile) ends with exit code 1: no (x is not for commands)",
  ]);
  const missing = { kind: "not_started", message: "no such program" } as const;
  assert.deepStrictEqual(await tried(missing, ""), ["warning", "(Makefile) no such program"]);
  assert.deepStrictEqual(await tried({ ...missing, fault: "server" }, ""), ["failed", "no such program"]);
});

Deno.test("L6 settingsFor() adds to lists that are there, and typed() quotes what a shell would take apart", () => {
  const flags = [
    { name: "read", value: "/a b" },
    { name: "read", value: "/c" },
    { name: "network", value: "full" },
    { name: "private-home" },
  ] as const;
  assert.deepStrictEqual(settingsFor(flags, { reads: ["/c", "/d"], writes: [], environmentNames: [] }), {
    read: ["/c", "/d", "/a b"],
    network: "full",
    private_home: true,
  });
  assert.deepStrictEqual(flags.map(typed), ["--read '/a b'", "--read /c", "--network full", "--private-home"]);
});
