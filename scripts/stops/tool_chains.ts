/** Variables by which the tool chains of this machine are found under another HOME. */
export async function toolChains(): Promise<Readonly<Record<string, string>>> {
  const path = Deno.env.get("PATH") ?? "";
  const rust = await new Deno.Command("rustc", { args: ["--print", "sysroot"] }).output()
    .then(({ stdout }) => new TextDecoder().decode(stdout).trim(), () => "");
  return { PATH: rust === "" ? path : `${rust}/bin:${path}` };
}
