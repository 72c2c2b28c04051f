/** A machine with device nodes of GPUs, and no driver for them: opening one that is granted fails with ENXIO. Root alone makes it. */
import type { Workbench } from "../workbench.ts";

/** Why tests with such nodes are skipped here; undefined: they run. */
export const NO_NODES = Deno.uid() === 0 && Deno.build.os === "linux" ? undefined : "only root can make device nodes";

/** Major and minor numbers of nodes below /dev, as the drivers give them. */
export const NVIDIA_NODES = {
  "nvidia0": "195 0",
  "nvidia1": "195 1",
  "nvidiactl": "195 255",
  "nvidia-uvm": "510 0",
  "nvidia-modeset": "195 254",
  "dri/card0": "226 0",
  "dri/renderD128": "226 128",
} as const;

/** From now on programs of the bench run on a machine whose /dev has these nodes and no other of a GPU. */
export function withNodes(bench: Workbench, nodes: Readonly<Record<string, string>>): void {
  const dev = `${bench.parent}/dev`;
  Deno.mkdirSync(dev, { recursive: true });
  const lines = [
    `mount -t tmpfs -o mode=755 none ${dev}`,
    `cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /dev/fd /dev/stdin /dev/stdout /dev/stderr ${dev}`,
    `mkdir ${dev}/pts ${dev}/shm ${dev}/dri`,
    `mount --rbind /dev/pts ${dev}/pts`,
    `mount --rbind /dev/shm ${dev}/shm`,
    ...Object.entries(nodes).map(([name, numbers]) => `mknod -m 666 ${dev}/${name} c ${numbers}`),
    `mount --rbind ${dev} /dev`,
    'exec "$@"',
  ];
  bench.machine = ["unshare", "--mount", "sh", "-ec", lines.join("\n"), "sh"];
}
