/** `server.json`, the entry of the MCP registry. */
import { type Asset, mcpbName } from "./asset.ts";
import { assetUrl, pageOf, type PublicProject, registryName } from "./project.ts";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

const TRANSPORT = { type: "stdio" };
const SCOPE = {
  type: "named",
  name: "--sandbox-scope",
  description: "The directory that commands may change; without it, the one that the server is started in.",
  format: "filepath",
};

/** The npm package, and each bundle with its sum. */
export function serverJson(project: PublicProject, assets: readonly Asset[]): object {
  const { name, title, version, description } = project;
  return {
    $schema: SCHEMA,
    name: registryName(project),
    title,
    description,
    version,
    websiteUrl: pageOf(project),
    repository: { url: pageOf(project), source: "github" },
    packages: [
      {
        registryType: "npm",
        identifier: name,
        version,
        runtimeHint: "npx",
        transport: TRANSPORT,
        packageArguments: [SCOPE],
      },
      ...assets.map(({ target, bundleSum }) => ({
        registryType: "mcpb",
        identifier: assetUrl(project, mcpbName(project, target)),
        version,
        fileSha256: bundleSum,
        transport: TRANSPORT,
      })),
    ],
  };
}
