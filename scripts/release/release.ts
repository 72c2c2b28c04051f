/**
 * Writes a release into dist/release: archives, npm package, bundles for MCP clients, bill of materials, the files of
 * package managers, and SHA256SUMS. Executables come from dist/bin, as many as could be made.
 *
 *   deno task release --repository OWNER/NAME
 */
import { type Target, TARGETS } from "../executable/pins.ts";
import { projectFacts, repositoryOf } from "./project.ts";
import { writeRelease } from "./write_release.ts";
import { say } from "../say.ts";

const DIST = `${import.meta.dirname}/../../dist/`;

Deno.exitCode = await release();

async function release(): Promise<number> {
  const environment = Deno.env.toObject();
  const repository = repositoryOf(Deno.args, environment);
  if (repository === undefined) return failed("Give the repository on GitHub: --repository OWNER/NAME");
  const project = projectFacts(repository);
  const { GITHUB_REF_TYPE: kind, GITHUB_REF_NAME: name } = environment;
  if (kind === "tag" && name !== `v${project.version}`) {
    return failed(`Tag "${name}" is not v${project.version}, the version in src/base/version.ts`);
  }
  const programs = await builtPrograms();
  if (programs.size === 0) return failed("There is no executable in dist/bin: run deno task compile:all first");
  const missing = TARGETS.filter((target) => !programs.has(target));
  if (missing.length > 0) say(`Without executables for ${missing.join(", ")}: they could not be made here`);
  const names = await writeRelease({ project, programs, directory: `${DIST}release` });
  say(`Wrote dist/release: ${names.join(", ")}`);
  return 0;
}

async function builtPrograms(): Promise<ReadonlyMap<Target, string>> {
  const found = new Map<Target, string>();
  for (const target of TARGETS) {
    const path = `${DIST}bin/ahma_mcp-${target}${target.startsWith("windows") ? ".exe" : ""}`;
    try {
      if ((await Deno.stat(path)).isFile) found.set(target, path);
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    }
  }
  return found;
}

function failed(problem: string): number {
  say(problem);
  return 1;
}
