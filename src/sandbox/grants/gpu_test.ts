import assert from "node:assert/strict";
import { FS } from "../policy/landlock.ts";
import type { PathGrant } from "../policy/policy.ts";
import { gpuNodes, openedNodes, withGpuRights } from "./gpu.ts";

const NVIDIA: Readonly<Record<string, readonly string[]>> = {
  "/dev": [
    "null",
    "nvidia10",
    "nvidia2",
    "nvidiactl",
    "nvidia-uvm",
    "nvidia-uvm-tools",
    "nvidia-modeset",
    "nvidia-caps",
  ],
  "/dev/nvidia-caps": ["nvidia-cap1", "nvidia-cap2", "nvidia-cap12"],
  "/dev/dri": ["card0", "card1", "renderD128", "by-path"],
};
const AMD: typeof NVIDIA = { "/dev": ["kfd", "null"], "/dev/dri": ["card0", "renderD128", "renderD129"] };
const WSL: typeof NVIDIA = { "/dev": ["dxg"] };

const OF_NVIDIA = [
  "nvidia-caps/nvidia-cap2",
  "nvidia-caps/nvidia-cap12",
  "nvidia-uvm",
  "nvidia-uvm-tools",
  "nvidiactl",
];

function opened(machine: typeof NVIDIA, ...chosen: readonly string[]): unknown {
  const result = openedNodes(chosen, gpuNodes((directory) => machine[directory] ?? []));
  return result.ok ? result.value.map((path) => path.replace(/^\/dev\//, "")) : result.problem;
}

Deno.test("S41 openedNodes() opens all GPUs or those named, with what goes with them, and no display modes", () => {
  assert.deepStrictEqual(
    {
      none: opened(NVIDIA),
      all: opened(NVIDIA, "all"),
      two: opened(NVIDIA, "2"),
      twice: opened(NVIDIA, "nvidia10", "2", "10"),
      render: opened(NVIDIA, "renderD128"),
      amd: opened(AMD, "1"),
      intel: opened({ "/dev/dri": ["renderD128"] }, "0"),
      wsl: opened(WSL, "all"),
    },
    {
      none: [],
      all: ["dri/renderD128", "nvidia2", "nvidia10", ...OF_NVIDIA],
      two: ["nvidia2", ...OF_NVIDIA],
      twice: ["nvidia10", "nvidia2", ...OF_NVIDIA],
      render: ["dri/renderD128"],
      amd: ["dri/renderD129", "kfd"],
      intel: ["dri/renderD128"],
      wsl: ["dxg"],
    },
  );
});

Deno.test("S41 openedNodes() names what is missing, and what there is", () => {
  const missing = "Cannot open a GPU to commands with --gpu";
  assert.deepStrictEqual([opened({}, "all", "1"), opened(NVIDIA, "0"), opened(AMD, "nvidia0"), opened(WSL, "0")], [
    `${missing} all,1: there is neither /dev/nvidia0 (NVIDIA), nor /dev/dri/renderD128 (AMD, Intel), nor /dev/dxg ` +
    "(WSL). Load the driver, give the container the device, or start without --gpu",
    `${missing} 0: there is no /dev/nvidia0, only renderD128, nvidia2, nvidia10. Use one of them, or --gpu all`,
    `${missing} nvidia0: there is no /dev/nvidia0, only renderD128, renderD129. Use one of them, or --gpu all`,
    `${missing} 0: there is no /dev/dri/renderD128, only dxg. Use --gpu all`,
  ]);
});

Deno.test("S41 withGpuRights() lets threads be named for NVIDIA's library, by ordinary users alone", () => {
  const grant = (path: string): PathGrant => ({ path, kind: "file", rights: FS.readFile });
  const rights = (uid: number, ...paths: readonly string[]) =>
    withGpuRights(["/proc", ...paths].map(grant), { abi: 7, user: { uid, gid: 0 } })
      .map(({ path, rights }) => [path, rights]);
  const node = (path: string) => [path, FS.readFile];
  const named = ["/proc", FS.readFile | FS.writeFile | FS.truncate];
  assert.deepStrictEqual([
    rights(1000, "/dev/nvidia0"),
    rights(0, "/dev/nvidia0"),
    rights(1000, "/dev/dri/renderD128"),
    rights(1000, "/dev/nvidiactl"),
  ], [
    [named, node("/dev/nvidia0")],
    [node("/proc"), node("/dev/nvidia0")],
    [node("/proc"), node("/dev/dri/renderD128"), ["/dev/dri", FS.readDir]],
    [node("/proc"), node("/dev/nvidiactl")],
  ]);
});
