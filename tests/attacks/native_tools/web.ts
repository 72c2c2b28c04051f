/** T51: pages that lead into this machine (K5). */
import { BOTH, type Row, type Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { driven, withServer } from "../frame/stage.ts";

/** This machine, as hosts that no one has allowed. */
const HOSTS: readonly string[] = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "127.0.0.1.",
  "0.0.0.0",
  "0",
  "localhost",
  "LOCALHOST.",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460",
  "127\u30020\u30020\u30021",
  "%31%32%37.0.0.1",
];

/** Whether a page of this machine that holds a secret is read: by its address, or by redirects of a host that is allowed. */
function fetches(): Way {
  return {
    does: driven(async (scene) => {
      const marker = newMarker();
      const asked = new Set<string>();
      await using hidden = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
        asked.add(new URL(request.url).pathname);
        return new Response(marker);
      });
      const { port } = hidden.addr;
      await using open = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/page") return new Response("open");
        const location = decodeURIComponent(pathname.slice(1)).replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent);
        return new Response(null, { status: 302, headers: { location } });
      });
      if (!scene.enforced) {
        await scene.running.shell(`curl --silent http://127.0.0.1:${port}/direct`);
        return [...asked][0];
      }
      const site = `127.0.0.1:${open.addr.port}`;
      const flags = () => ["--bundles", "web", "--inline-wait", "60000", "--allow-private-hosts", site];
      return await withServer(scene, { flags }, async (server) => {
        const fetched = (url: string) => server.call("web_fetch", { url, follow_redirects: true });
        const page = await fetched(`http://${site}/page`);
        if (!page.text.endsWith("\nopen")) throw new Error(`No page is fetched at all: ${page.text}`);
        const urls = [
          ...HOSTS.map((host, at) => `http://${host}:${port}/direct-${at}`),
          `http://127.0.0.1:${port}@example.invalid/`,
          "file:///etc/hostname",
          "file://localhost/etc/hostname",
          `ftp://127.0.0.1:${port}/`,
        ];
        const texts: string[] = [];
        for (const url of urls) texts.push((await fetched(url)).text);
        for (const url of urls) texts.push((await fetched(`http://${site}/${encodeURIComponent(url)}`)).text);
        const isTold = texts.some((text) => text.includes(marker));
        return isTold || asked.size > 0 ? `what was asked of this machine: ${[...asked].join(", ")}` : undefined;
      });
    }),
  };
}

export const NATIVE_WEB: readonly Row[] = [
  {
    id: "T51",
    title: "read a page of this machine through the web tools",
    users: BOTH,
    alikeForRoot: "the worker checks each address before it connects, for root as for others",
    aim: "evidence",
    needs: { programs: ["curl"] },
    ways: { "addresses in every notation, and redirects to them": fetches() },
  },
];
