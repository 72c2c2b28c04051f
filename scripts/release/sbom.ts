/** The bill of materials of the program: CycloneDX 1.6, from the lock file and the pins of the runtime. */
import pins from "../executable/runtime_pins.json" with { type: "json" };
import { pageOf, type PublicProject } from "./project.ts";

/** The packages of the lock file, by `name@version`. */
export interface LockFile {
  readonly npm: Readonly<Record<string, { readonly integrity: string; readonly dependencies?: readonly string[] }>>;
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

/**
 * What the program is made of. `packages`: the `name@version` that it imports, and what these import.
 * @throws {Error} when the lock file lacks one of them
 */
export function sbom(project: PublicProject, packages: readonly string[], lock: LockFile): object {
  const own = { ...component(project.name, project.version), page: pageOf(project) };
  const imported = packages.toSorted().map((id) => ({ ...packageOf(id), ...lockedAt(id, lock) }));
  const byName = new Map(imported.map((one) => [one.name, one.purl]));
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": own.purl,
        name: own.name,
        version: own.version,
        description: project.description,
        purl: own.purl,
        licenses: [{ expression: project.license }],
        externalReferences: [{ type: "vcs", url: own.page }],
      },
    },
    components: [
      ...imported.map(({ name, version, purl, integrity }) => ({
        type: "library",
        "bom-ref": purl,
        name,
        version,
        purl,
        scope: "required",
        hashes: [{ alg: "SHA-512", content: integrity }],
      })),
      ...runtimes(),
    ],
    dependencies: [
      { ref: own.purl, dependsOn: [...imported.map(({ purl }) => purl), ...runtimes().map((one) => one["bom-ref"])] },
      ...imported.map(({ purl, dependencies }) => ({
        ref: purl,
        dependsOn: dependencies.flatMap((name) => byName.get(name) ?? []),
      })),
    ],
  };
}

/** The runtime, once for each file that goes into an executable. */
function runtimes() {
  return Object.entries(pins.targets).flatMap(([target, pin]) =>
    "sha256" in pin
      ? [{
        type: "platform",
        "bom-ref": `${component(pin.package, pins.version).purl}#${target}`,
        ...component(pin.package, pins.version),
        scope: "required",
        hashes: [{ alg: "SHA-256", content: pin.sha256 }],
        licenses: [{ license: { id: "MIT" } }],
      }]
      : []
  );
}

function packageOf(id: string): Component {
  const at = id.lastIndexOf("@");
  return component(id.slice(0, at), id.slice(at + 1));
}

/** A package URL escapes the `@` of a scope. */
function component(name: string, version: string): Component {
  return { name, version, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` };
}

function lockedAt(
  id: string,
  lock: LockFile,
): { readonly integrity: string; readonly dependencies: readonly string[] } {
  const locked = lock.npm[id];
  if (locked === undefined) throw new Error(`"${id}" is imported, and deno.lock lacks it`);
  const [algorithm, sum] = locked.integrity.split("-", 2);
  if (algorithm !== "sha512" || sum === undefined) throw new Error(`"${id}" has no SHA-512 in deno.lock`);
  const dependencies = (locked.dependencies ?? []).map((one) => one.replace(/(?<=.)@.*$/, ""));
  return { integrity: Uint8Array.fromBase64(sum).toHex(), dependencies };
}
