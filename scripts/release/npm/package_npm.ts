/**
 * Packs the npm package into dist/npm. Without a repository it is for this machine: no page of the project in it.
 *
 *   deno task package:npm [--repository OWNER/NAME]
 */
import { writeTarball } from "../archive.ts";
import { npmFiles, npmTarballName } from "./npm_package.ts";
import { projectFacts, repositoryOf } from "../project.ts";

const project = projectFacts(repositoryOf(Deno.args, Deno.env.toObject()));
const target = `${import.meta.dirname}/../../../dist/npm/${npmTarballName(project)}`;
await writeTarball(target, await npmFiles(project));
const { size } = await Deno.stat(target);
await Deno.stderr.write(
  new TextEncoder().encode(`Packed dist/npm/${npmTarballName(project)}, ${Math.round(size / 1024)} KiB\n`),
);
