/**
 * GPUs for commands (S41): chosen device nodes, and what drivers read. Never those that set display modes
 * (`/dev/dri/card*`, `nvidia-modeset`) or divide a GPU (`nvidia-cap1`).
 */
import { words } from "../../base/text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Libc } from "../../system/libc.ts";
import { DATA_TREE, FS, grantable, WRITABLE_DEVICE } from "../policy/landlock.ts";
import type { PathGrant, SandboxPolicy } from "../policy/policy.ts";
import type { WantedPath } from "./system_paths.ts";

const NVIDIA = /^\/dev\/nvidia\d+$/;
const RENDER = /^\/dev\/dri\/renderD\d+$/;
/** Every GPU of a Windows machine, in WSL. */
const WSL = "/dev/dxg";
/** The nodes that programs open in addition to those of NVIDIA's GPUs, and of AMD's. */
const OF_NVIDIA = /^\/dev\/(?:nvidiactl|nvidia-uvm(?:-tools)?|nvidia-caps\/nvidia-cap(?!1$)\d+)$/;
const OF_AMD = "/dev/kfd";

/** The number of the first render node, which counts as GPU 0. */
const FIRST_RENDER = 128;

/** Facts about GPUs; links among them lead to the directories of all GPUs, of which only those of the chosen ones are granted. */
const SYSTEM_FACTS = words(
  "/sys/class/drm /sys/class/kfd /sys/dev/char /sys/devices/virtual/kfd /sys/devices/system/cpu /sys/devices/system/node",
  "/sys/module/amdgpu /sys/module/nvidia",
);
/** Which drivers the loaders of OpenCL, Vulkan and OpenGL find. */
const LOADERS = words("/etc/OpenCL /etc/vulkan /etc/glvnd");
/** Files of a GPU's directory, which also has its registers and settings. */
const DEVICE_FACTS = words(
  "vendor device subsystem_vendor subsystem_device revision class uevent numa_node local_cpulist",
);

/** The system calls that this needs. */
export type GpuSystem = Pick<Libc, "searched" | "lookAt" | "openDescriptor" | "heldPath" | "closeDescriptor">;

/** The nodes of this machine's GPUs, and what belongs to them. `namesIn`: of a directory that may be missing. */
export function gpuNodes(namesIn: (directory: string) => readonly string[]): readonly string[] {
  const found = words("/dev /dev/dri /dev/nvidia-caps").flatMap((directory) =>
    namesIn(directory).map((name) => `${directory}/${name}`)
  );
  return found.filter((path) => isGpu(path) || OF_NVIDIA.test(path) || path === OF_AMD)
    .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

/** The nodes of this machine. */
export function gpuNodesHere(system: Pick<Libc, "searched">): readonly string[] {
  return gpuNodes((directory) => system.searched(directory).map(({ name }) => name));
}

/** Whether a node is a GPU, or all of them. */
export function isGpu(path: string): boolean {
  return NVIDIA.test(path) || RENDER.test(path) || path === WSL;
}

/** The existing nodes that `--gpu` opens, or why it cannot. */
export function openedNodes(chosen: readonly string[], nodes: readonly string[]): Outcome<readonly string[]> {
  if (chosen.length === 0) return success([]);
  const gpus = nodes.filter(isGpu);
  if (gpus.length === 0) {
    return failure(
      `Cannot open a GPU to commands with --gpu ${chosen.join(",")}: there is neither /dev/nvidia0 (NVIDIA), ` +
        "nor /dev/dri/renderD128 (AMD, Intel), nor /dev/dxg (WSL). Load the driver, give the container the device, " +
        "or start without --gpu",
    );
  }
  const opened = new Set<string>();
  for (const one of chosen) {
    const wanted = one === "all" ? gpus : [nodeOf(one, gpus)];
    const missing = wanted.find((path) => !gpus.includes(path));
    if (missing !== undefined) {
      const offered = gpus.map((path) => path.slice(path.lastIndexOf("/") + 1)).join(", ");
      return failure(
        `Cannot open a GPU to commands with --gpu ${one}: there is no ${missing}, only ${offered}. ` +
          `Use ${gpus.includes(WSL) ? "--gpu all" : "one of them, or --gpu all"}`,
      );
    }
    for (const path of wanted) opened.add(path);
  }
  const all = [...opened];
  const belongs = (path: string) =>
    OF_NVIDIA.test(path) ? all.some((one) => NVIDIA.test(one)) : path === OF_AMD && all.some((one) => RENDER.test(one));
  return success([...all, ...nodes.filter(belongs)]);
}

/** A number counts NVIDIA's GPUs where there are any, else render nodes. */
function nodeOf(value: string, gpus: readonly string[]): string {
  if (value.startsWith("renderD")) return `/dev/dri/${value}`;
  if (value.startsWith("nvidia")) return `/dev/${value}`;
  return gpus.some((path) => NVIDIA.test(path))
    ? `/dev/nvidia${value}`
    : `/dev/dri/renderD${FIRST_RENDER + Number(value)}`;
}

/** What `--gpu` opens on this machine, or why it cannot. */
export function gpuPaths(chosen: readonly string[], system: GpuSystem): Outcome<readonly WantedPath[]> {
  if (chosen.length === 0) return success([]);
  const opened = openedNodes(chosen, gpuNodesHere(system));
  if (!opened.ok) return opened;
  const directories = SYSTEM_FACTS.filter((path) => system.lookAt(path)?.kind === "directory");
  return success([
    ...opened.value.map((path) => ({ path, rights: WRITABLE_DEVICE, kind: "file" as const })),
    ...directories.map((path) => ({ path, rights: DATA_TREE, kind: "directory" as const })),
    ...LOADERS.map((path) => ({ path, rights: DATA_TREE })),
    ...opened.value.filter((path) => RENDER.test(path)).flatMap((path) => deviceFacts(path, system)),
  ]);
}

function deviceFacts(node: string, system: GpuSystem): readonly WantedPath[] {
  const link = system.openDescriptor(`/sys/class/drm/${node.slice(node.lastIndexOf("/") + 1)}/device`);
  if (link === undefined) return [];
  const directory = system.heldPath(link);
  system.closeDescriptor(link);
  if (!directory.startsWith("/sys/devices/")) return [];
  return [
    { path: directory, rights: FS.readDir, kind: "directory" },
    { path: `${directory}/drm`, rights: DATA_TREE, kind: "directory" },
    ...DEVICE_FACTS.map((name) => ({ path: `${directory}/${name}`, rights: FS.readFile, kind: "file" as const })),
  ];
}

/**
 * Grants with a GPU's rights: names in /dev/dri, and names of threads below /proc for NVIDIA's library. An ordinary
 * user writes only its own there; root could change the machine, so it gets none.
 */
export function withGpuRights(
  grants: readonly PathGrant[],
  { abi, user: { uid } }: Pick<SandboxPolicy, "abi" | "user">,
): readonly PathGrant[] {
  const named = uid !== 0 && grants.some(({ path }) => NVIDIA.test(path));
  const listed = grants.some(({ path }) => RENDER.test(path));
  return [
    ...grants.map((grant) =>
      named && grant.path === "/proc" ? { ...grant, rights: grant.rights | FS.writeFile | FS.truncate } : grant
    ),
    ...listed
      ? [{ path: "/dev/dri", kind: "directory", rights: grantable(FS.readDir, abi, "directory") } as const]
      : [],
  ];
}
