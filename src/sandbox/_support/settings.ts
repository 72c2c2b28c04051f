import { DEFAULT_CONFINEMENT } from "../policy/confinement.ts";
import type { SandboxSettings } from "../policy/sandbox_settings.ts";

/** For tests: what a server without any flag asks for: `base` holds the directories `scope` and `home`. */
export function sandboxSettings(base: string): SandboxSettings {
  return {
    enforce: true,
    confinement: DEFAULT_CONFINEMENT,
    reads: [],
    writes: [],
    protect: [],
    allowProtected: [],
    own: [],
    allowSensitive: [],
    strict: false,
    requiredLayers: [],
    gpus: [],
    environmentNames: [],
    privateHome: false,
    temporaryFiles: true,
    requireAbi: undefined,
    shell: "/bin/bash",
    serverEnvironment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: `${base}/home` },
    scopes: [`${base}/scope`],
    workingDirectory: base,
    home: `${base}/home`,
    allowBroad: false,
  };
}
