/** Y80: the GPUs of a machine where a person opened one of two (S41). Its nodes have no driver, so one that is reached gives ENXIO. */
import { NO_NODES, NVIDIA_NODES, withNodes } from "../../_support/servers/gpu_machine.ts";
import { BOTH, type Row, type Scene } from "../frame/attack.ts";
import { driven, together, withServer } from "../frame/stage.ts";

const REACHED = /No such device or address/;
/** Before what a command is told of the one that is open. */
const OPEN = "and of the open one:";

/** Each is for another GPU than the first, which is open. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  "read it": "cat /dev/nvidia1",
  "write to it": "dd if=/dev/null of=/dev/nvidia1 conv=nocreat,notrunc",
  "through the root of a process": "cat /proc/self/root/dev/nvidia1",
  "through a link in the scope": "ln -sf /dev/nvidia1 link && cat link",
  "as a card with its screens": "cat /dev/dri/card0",
  "by its renderer": "cat /dev/dri/renderD128",
  "set its modes": "cat /dev/nvidia-modeset",
};
/** Others may not make nodes anywhere. */
const OF_ROOT: Readonly<Record<string, string>> = {
  "by a node of one's own": "rm -f made && mknod made c 195 1 && cat made",
  "by a node in the temp directory": "rm -f $TMPDIR/made && mknod $TMPDIR/made c 195 1 && cat $TMPDIR/made",
};

function opens(scene: Scene): Promise<string | undefined> {
  const setting = { prepare: withNvidia, flags: () => ["--gpu", "0"] };
  return withServer(scene, setting, async (server) => {
    const attempts = scene.user === "root" ? { ...ATTEMPTS, ...OF_ROOT } : ATTEMPTS;
    return await together(scene, attempts, async (line) => {
      const { text } = await server.shell(`(${line}) 2>&1; echo; echo "${OPEN}"; cat /dev/nvidia0 2>&1; true`);
      const [tried = "", allowed = ""] = text.split(`\n${OPEN}\n`);
      if (!REACHED.test(allowed)) throw new Error(`The open GPU was not reached: ${text}`);
      return REACHED.exec(tried)?.[0];
    });
  });
}

function withNvidia(bench: Parameters<typeof withNodes>[0]): void {
  withNodes(bench, NVIDIA_NODES);
}

export const GPUS: readonly Row[] = [
  {
    id: "Y80",
    title: "reach another GPU than the one that is open",
    users: BOTH,
    aim: "evidence",
    needs: { machine: () => NO_NODES },
    ways: { "by its nodes": { does: driven(opens) } },
  },
];
