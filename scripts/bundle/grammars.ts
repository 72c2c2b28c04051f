/** Packs the grammars of source code for the worker of native tools, a file each (K4). */
import { brotliCompressSync, constants } from "node:zlib";
import { ENGINE_FILE, grammarFile } from "../../src/toolbox/outline/grammars.ts";

type Wasm = Promise<{ readonly default: Uint8Array }>;

/** The files of the packages: of two for one language, the smaller. */
const FILES: Readonly<Record<string, () => Wasm>> = {
  [ENGINE_FILE]: () => import("web-tree-sitter/web-tree-sitter.wasm", { with: { type: "bytes" } }),
  [grammarFile("bash")]: () =>
    import("@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm", { with: { type: "bytes" } }),
  [grammarFile("c")]: () => import("@repomix/tree-sitter-wasms/out/tree-sitter-c.wasm", { with: { type: "bytes" } }),
  [grammarFile("cpp")]: () =>
    import("@repomix/tree-sitter-wasms/out/tree-sitter-cpp.wasm", { with: { type: "bytes" } }),
  [grammarFile("csharp")]: () =>
    import("@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm", { with: { type: "bytes" } }),
  [grammarFile("css")]: () => import("@vscode/tree-sitter-wasm/wasm/tree-sitter-css.wasm", { with: { type: "bytes" } }),
  [grammarFile("dart")]: () =>
    import("@repomix/tree-sitter-wasms/out/tree-sitter-dart.wasm", { with: { type: "bytes" } }),
  [grammarFile("go")]: () => import("@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm", { with: { type: "bytes" } }),
  [grammarFile("ini")]: () => import("@vscode/tree-sitter-wasm/wasm/tree-sitter-ini.wasm", { with: { type: "bytes" } }),
  [grammarFile("java")]: () =>
    import("@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm", { with: { type: "bytes" } }),
  [grammarFile("javascript")]: () =>
    import("@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm", { with: { type: "bytes" } }),
  [grammarFile("php")]: () => import("@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm", { with: { type: "bytes" } }),
  [grammarFile("powershell")]: () =>
    import("@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm", { with: { type: "bytes" } }),
  [grammarFile("python")]: () =>
    import("@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm", { with: { type: "bytes" } }),
  [grammarFile("ruby")]: () =>
    import("@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm", { with: { type: "bytes" } }),
  [grammarFile("rust")]: () =>
    import("@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm", { with: { type: "bytes" } }),
  [grammarFile("solidity")]: () =>
    import("@repomix/tree-sitter-wasms/out/tree-sitter-solidity.wasm", { with: { type: "bytes" } }),
  [grammarFile("swift")]: () =>
    import("@repomix/tree-sitter-wasms/out/tree-sitter-swift.wasm", { with: { type: "bytes" } }),
  [grammarFile("tsx")]: () => import("@vscode/tree-sitter-wasm/wasm/tree-sitter-tsx.wasm", { with: { type: "bytes" } }),
  [grammarFile("typescript")]: () =>
    import("@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm", { with: { type: "bytes" } }),
};

/** A higher level takes ten times as long and saves a tenth. */
const QUALITY = 5;
const WINDOW_BITS = 24;

/** Writes them to a directory; their names and sizes, bytes. */
export async function packGrammars(directory: URL): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const [name, load] of Object.entries(FILES)) {
    const { default: bytes } = await load();
    const packed = brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS },
    });
    await Deno.writeFile(new URL(name, directory), packed);
    sizes.set(name, packed.length);
  }
  return sizes;
}
