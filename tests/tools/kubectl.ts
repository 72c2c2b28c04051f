import { startCluster } from "./kubernetes_api.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const OBJECT = `echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"data":{"a":"b"}}' > new.json`;
/** A configuration whose credentials come from a program, which kubectl starts. */
const EVIL =
  `echo '{"apiVersion":"v1","kind":"Config","current-context":"e","clusters":[{"name":"e","cluster":{"server":"https://127.0.0.1:1"}}],` +
  `"contexts":[{"name":"e","context":{"cluster":"e","user":"e"}}],"users":[{"name":"e","user":{"exec":{"apiVersion":` +
  `"client.authentication.k8s.io/v1beta1","interactiveMode":"Never","command":"touch","args":["pwned"]}}}]}' > evil.json`;
/** Older versions ask the cluster for another protocol than this one speaks. */
const WEB_SOCKETS = `kubectl version --client --output=json | grep -Eq '"minor": *"(3[0-9]|[4-9][0-9])'`;
const UNHARMED = "test ! -e pwned";
const IN = { namespace: "default" };

/** Each leaf of tools/kubectl.json, against as much of a cluster as they ask for. */
const ROWS: readonly Row[] = [
  {
    tool: "kubectl_get",
    args: { objects: ["pods"], output: "name", selector: "app=web", ...IN },
    expected: /^pod\/web-1$/m,
  },
  { tool: "kubectl_get", args: { objects: ["deploy/web"], output: "jsonpath={.spec.replicas}" }, expected: /^1/ },
  {
    tool: "kubectl_get",
    args: { objects: ["pods"], "all-namespaces": true, "field-selector": "a=b", "sort-by": ".metadata.name" },
    fails: true,
    expected: /no \/api\/v1\/pods/,
  },
  {
    tool: "kubectl_get",
    setup: `${EVIL} && ! kubectl --kubeconfig=evil.json get pods && rm pwned`,
    args: { objects: ["--kubeconfig=evil.json", "pods"] },
    fails: true,
    expected: /type "--kubeconfig=evil/,
    effect: UNHARMED,
  },
  { tool: "kubectl_describe", args: { objects: ["pod", "web-1"], ...IN }, expected: /^Name:\s+web-1$/m },
  { tool: "kubectl_describe", args: { objects: ["pods"], selector: "app=web" }, expected: /^Name:\s+web-1$/m },
  {
    tool: "kubectl_logs",
    args: { pod: "web-1", container: "c", since: "10m", previous: true, timestamps: true, ...IN },
    expected: /^a line of the log$/m,
  },
  {
    tool: "kubectl_explain",
    args: { kind: "pod.spec", recursive: true },
    fails: true,
    expected: /openapi|schema|resource/i,
  },
  { tool: "kubectl_api-resources", args: { "api-group": "apps" }, expected: /^deployments\s.*Deployment$/m },
  {
    tool: "kubectl_apply",
    setup: OBJECT,
    args: { filename: ["new.json"], "dry-run": "client", recursive: true, ...IN },
    expected: /^configmap\/new created \(dry run\)$/m,
  },
  {
    tool: "kubectl_apply",
    setup: OBJECT,
    args: { filename: ["new.json"], "dry-run": "server", "server-side": true },
    fails: "perhaps",
  },
  { tool: "kubectl_apply", args: { filename: ["https://x.invalid/a"] }, fails: true, expected: /expected a text that/ },
  {
    tool: "kubectl_diff",
    setup: OBJECT,
    args: { filename: ["new.json"], recursive: true, ...IN },
    fails: true,
    expected: /new|ConfigMap/,
  },
  {
    tool: "kubectl_delete",
    args: { objects: ["pod/web-1"], "ignore-not-found": true, "dry-run": "client", ...IN },
    expected: /^pod "web-1" deleted/m,
  },
  {
    tool: "kubectl_delete",
    args: { objects: ["pods"], selector: "app=web", "dry-run": "client" },
    expected: /deleted/,
  },
  {
    tool: "kubectl_scale",
    args: { objects: ["deploy/web"], replicas: 3, ...IN },
    expected: /^deployment\.apps\/web scaled$/m,
  },
  { tool: "kubectl_rollout_status", args: { object: "deploy/web", ...IN }, expected: /successfully rolled out/ },
  { tool: "kubectl_rollout_history", args: { object: "deploy/web", ...IN }, expected: /^2\s/m },
  { tool: "kubectl_rollout_restart", args: { object: "deploy/web", ...IN }, expected: /restarted/ },
  { tool: "kubectl_rollout_undo", args: { object: "deploy/web", "to-revision": 1, ...IN }, expected: /rolled back/ },
  {
    tool: "kubectl_wait",
    args: { objects: ["pods"], for: "condition=Ready", timeout: "5s", selector: "app=web", ...IN },
    expected: /^pod\/web-1 condition met$/m,
  },
  {
    tool: "kubectl_exec",
    setup: EVIL,
    args: { pod: "web-1", container: "c", "--": "ls", args: ["-l", "--kubeconfig=evil.json"], ...IN },
    expected: /^c ran ls -l --kubeconfig=evil\.json$/m,
    effect: UNHARMED,
    needs: WEB_SOCKETS,
  },
  { tool: "kubectl_exec", args: { pod: "--kubeconfig=x", "--": "ls" }, fails: true, expected: /take for an option/ },
  { tool: "kubectl_context", expected: /^here\nhttp:\/\/127\.0\.0\.1:\d+\ndefault$/m },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "kubectl",
  start(bench, used) {
    const cluster = used.use(startCluster());
    bench.write(`${bench.home}/.kube/config`, cluster.configuration);
    return { flags: ["--allow-read-sensitive", `${bench.home}/.kube`] };
  },
};
