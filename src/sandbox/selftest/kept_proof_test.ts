import assert from "node:assert/strict";
import { SILENT } from "../../base/log.ts";
import { DEFAULT_CONFINEMENT } from "../policy/confinement.ts";
import type { SandboxPolicy } from "../policy/policy.ts";
import { KeptProof } from "./kept_proof.ts";

const POLICY: SandboxPolicy = {
  writable: [],
  grants: [],
  abi: 7,
  namespaces: true,
  keptCapabilities: [],
  confinement: {
    ...DEFAULT_CONFINEMENT,
    ownNetwork: false,
    filter: true,
    countedByNamespace: true,
    ceilings: {},
    tasksAtStart: 9,
  },
  user: { uid: 1000, gid: 1000 },
};
const IGNORE = Deno.build.os !== "linux";
const PROVEN = { policy: POLICY, isGrouped: false };

/** Each makes the file one that another program could have written. */
const SPOILT: Readonly<Record<string, (path: string, directory: string) => void>> = {
  "of another boot": (path) => rewrite(path, (text) => text.replace(/"boot":"./, '"boot":"_')),
  "without its last byte": (path) => rewrite(path, (text) => text.slice(0, -1)),
  "that others may read": (path) => Deno.chmodSync(path, 0o640),
  "in a directory that others may enter": (_, directory) => Deno.chmodSync(directory, 0o750),
  "that is a link": (path) => moved(path),
  "in a directory that is a link": (_, directory) => moved(directory),
  "with a second name": (path) => Deno.linkSync(path, `${path}.second`),
  "that is a pipe": (path) => {
    Deno.removeSync(path);
    assert.ok(new Deno.Command("mkfifo", { args: ["-m", "600", path] }).outputSync().success);
  },
  ...Deno.uid() === 0 && { "of another user": (path: string) => Deno.chownSync(path, 65534, 65534) },
};

function rewrite(path: string, change: (text: string) => string): void {
  const before = Deno.readTextFileSync(path);
  const after = change(before);
  assert.notStrictEqual(after, before);
  Deno.writeTextFileSync(path, after);
}

function moved(path: string): void {
  Deno.renameSync(path, `${path}.kept`);
  Deno.symlinkSync(`${path}.kept`, path);
}

Deno.test({
  name: `S3 KeptProof holds what it kept itself, in a file that only its user can have written${
    IGNORE ? " (needs Linux)" : ""
  }`,
  ignore: IGNORE,
  async fn() {
    const base = await Deno.realPath(await Deno.makeTempDir());
    try {
      for (const [what, spoil] of Object.entries(SPOILT)) {
        const directory = `${base}/${what}`;
        await Deno.mkdir(directory, { mode: 0o700 });
        const program = () => [Deno.execPath()];
        const made = () => new KeptProof({ directory: () => directory, program, onBroken: assert.fail, log: SILENT });
        assert.ok(!made().holds(PROVEN));
        await made().keep(PROVEN);
        assert.ok(made().holds(PROVEN), "the control");
        spoil(`${directory}/self-test`, directory);
        assert.ok(!made().holds(PROVEN), what);
      }
    } finally {
      await Deno.remove(base, { recursive: true });
    }
  },
});
