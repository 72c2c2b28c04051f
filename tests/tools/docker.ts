import { everyOption } from "./every_option.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

/** Each leaf of tools/docker.json. Without a daemon docker says so, after it has read its flags. */
const ROWS: readonly Row[] = await everyOption({
  file: "docker.json",
  expected: /connect to the docker (daemon|API)|error during connect/i,
  samples: {
    "build-arg": "A=b",
    cpus: "1.5",
    destination: "inside:/x",
    env: "A=b",
    filter: "name=x",
    format: "json",
    label: "a=b",
    memory: "64m",
    network: "none",
    platform: "linux/amd64",
    publish: "8080:80",
    since: "10m",
    source: ".",
    tail: "5",
    volume: "kept:/kept",
  },
  needs: { docker_compose: "docker compose version" },
});

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "docker",
};
