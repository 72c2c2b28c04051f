/** A registry of this machine, over TLS, that has one package for each package manager, and remembers what was asked. */
import { makeCertificate } from "../../../src/secrets/session_certificate.ts";
import type { Workbench } from "../workbench.ts";

const SCRIPT = new URL("./package_registry.py", import.meta.url).pathname;

export class PackageRegistry implements AsyncDisposable {
  readonly heard: string[] = [];
  readonly certificate: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  private constructor(
    directory: string,
    { certificate, cert, key }: Readonly<Record<"certificate" | "cert" | "key", string>>,
  ) {
    this.certificate = certificate;
    const options = { hostname: "127.0.0.1", port: 0, cert, key, onListen: () => {} };
    this.#server = Deno.serve(options, async (request) => {
      const { pathname } = new URL(request.url);
      this.heard.push(pathname);
      const path = `${directory}${pathname.endsWith("/") ? `${pathname}index.html` : pathname}`;
      const bytes = await Deno.readFile(path).catch(() => undefined);
      const type = path.endsWith(".html") ? "text/html" : "application/octet-stream";
      return bytes === undefined
        ? new Response("not there", { status: 404 })
        : new Response(bytes, { headers: { "content-type": type } });
    });
  }

  static async open(bench: Workbench, host: string): Promise<PackageRegistry> {
    const directory = `${bench.parent}/registry`;
    const { authority, certificate: cert, key } = await makeCertificate([host]);
    const registry = new PackageRegistry(directory, {
      certificate: bench.write("authority.pem", authority),
      cert,
      key,
    });
    const args = [SCRIPT, directory, `https://${host}:${registry.port}`];
    const { success, stderr } = await new Deno.Command("python3", { args }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return registry;
  }

  get port(): number {
    return this.#server.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
