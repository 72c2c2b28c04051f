/** As much of a Kubernetes cluster as kubectl asks for, on 127.0.0.1: a deployment, its revision, its pod, and a log. */

/** A cluster until it is disposed of. */
export interface Cluster extends AsyncDisposable {
  /** What kubectl's configuration says of it. */
  readonly configuration: string;
}

const LABELS = { app: "web" };
const CONTAINERS = [{ name: "c", image: "image" }];
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: CONTAINERS } };
const SELECTOR = { matchLabels: LABELS };
const DEPLOYMENT = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    namespace: "default",
    uid: "d",
    generation: 1,
    annotations: { "deployment.kubernetes.io/revision": "2" },
  },
  spec: { replicas: 1, selector: SELECTOR, template: TEMPLATE },
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 },
};
const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1", namespace: "default", labels: LABELS, uid: "p" },
  spec: { containers: CONTAINERS },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
};

function revision(number: string): object {
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "d", controller: true }];
  const annotations = { "deployment.kubernetes.io/revision": number };
  const metadata = { name: `web-${number}`, namespace: "default", labels: LABELS, annotations, ownerReferences };
  const containers = [{ name: "c", image: `image-${number}` }];
  const template = { ...TEMPLATE, spec: { containers } };
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { replicas: 1, selector: SELECTOR, template } };
}

function list(kind: string, apiVersion: string, ...items: readonly object[]): object {
  return { kind: `${kind}List`, apiVersion, metadata: { resourceVersion: "1" }, items };
}

function resources(groupVersion: string, kinds: Readonly<Record<string, string>>): object {
  const verbs = ["get", "list", "watch", "patch", "delete", "create", "update"];
  const each = Object.entries(kinds).map(([name, kind]) => ({
    name,
    kind,
    verbs,
    namespaced: true,
    singularName: "",
    ...name === "deployments" && { shortNames: ["deploy"] },
  }));
  return { kind: "APIResourceList", groupVersion, resources: each };
}

const PODS = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const GROUP_VERSION = { groupVersion: "apps/v1", version: "v1" };

/** What is read, by path. */
const ANSWERS: Readonly<Record<string, object>> = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": {
    kind: "APIGroupList",
    groups: [{ name: "apps", versions: [GROUP_VERSION], preferredVersion: GROUP_VERSION }],
  },
  "/api/v1": resources("v1", {
    pods: "Pod",
    "pods/log": "Pod",
    "pods/exec": "Pod",
    configmaps: "ConfigMap",
    events: "Event",
  }),
  "/apis/apps/v1": resources("apps/v1", {
    deployments: "Deployment",
    "deployments/scale": "Scale",
    replicasets: "ReplicaSet",
  }),
  [PODS]: list("Pod", "v1", POD),
  [`${PODS}/web-1`]: POD,
  "/api/v1/namespaces/default/events": list("Event", "v1"),
  [DEPLOYMENTS]: list("Deployment", "apps/v1", DEPLOYMENT),
  [`${DEPLOYMENTS}/web`]: DEPLOYMENT,
  [`${DEPLOYMENTS}/web/scale`]: {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "web", namespace: "default" },
    spec: { replicas: 1 },
  },
  "/apis/apps/v1/namespaces/default/replicasets": list("ReplicaSet", "apps/v1", revision("1"), revision("2")),
};

function refusal(code: number, message: string): Response {
  const reason = code === 404 ? "NotFound" : "Forbidden";
  return Response.json({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code, message }, {
    status: code,
  });
}

/** Says what it was told to run: each frame begins with the number of its channel, 1 for output and 3 for the end. */
function execute(request: Request, asked: URLSearchParams): Response {
  const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "v5.channel.k8s.io" });
  socket.onopen = () => {
    const send = (channel: number, text: string) =>
      socket.send(new Uint8Array([channel, ...new TextEncoder().encode(text)]));
    send(1, `${asked.get("container")} ran ${asked.getAll("command").join(" ")}\n`);
    send(3, JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" }));
    socket.close(1000);
  };
  return response;
}

/** Objects that do not exist yet are made, changes are answered with what was sent. */
async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  // A description of all objects in protobuf, which names none.
  if (pathname === "/openapi/v2") return new Response(new Uint8Array());
  if (pathname.endsWith("/log")) return new Response("a line of the log\n");
  if (pathname.endsWith("/exec")) return execute(request, searchParams);
  const known = ANSWERS[pathname];
  if (request.method === "GET") return known === undefined ? refusal(404, `no ${pathname}`) : Response.json(known);
  const sent = await request.text();
  if (request.method === "DELETE") return Response.json({ kind: "Status", apiVersion: "v1", status: "Success" });
  const type = request.headers.get("content-type") ?? "";
  if (type === "application/json") return Response.json(JSON.parse(sent), { status: 201 });
  return Response.json({ ...known, metadata: { ...DEPLOYMENT.metadata, annotations: { sent } } });
}

/** Starts it. */
export function startCluster(): Cluster {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => undefined }, answer);
  const configuration = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "here", cluster: { server: `http://127.0.0.1:${server.addr.port}` } }],
    contexts: [{ name: "here", context: { cluster: "here", user: "me", namespace: "default" } }],
    users: [{ name: "me", user: {} }],
    "current-context": "here",
  };
  return { configuration: JSON.stringify(configuration), [Symbol.asyncDispose]: () => server.shutdown() };
}
