# The packed program with the runtime of nixpkgs: nix-build -E '(import <nixpkgs> { }).callPackage ./package.nix { }'
{ lib, stdenvNoCC, fetchurl, makeWrapper, deno }:

assert lib.assertMsg (lib.versionAtLeast deno.version "@RUNTIME_LEAST@") "ahma_mcp needs deno @RUNTIME_LEAST@ or newer";

stdenvNoCC.mkDerivation {
  pname = "ahma_mcp";
  version = "@VERSION@";

  src = fetchurl {
    url = "@URL@";
    hash = "@HASH@";
  };

  nativeBuildInputs = [ makeWrapper ];
  dontBuild = true;

  installPhase = ''
    runHook preInstall
    install -Dm755 ahma_mcp -t $out/lib/ahma_mcp
    install -Dm644 ahma_mcp.mjs -t $out/lib/ahma_mcp
    install -Dm644 worker/* -t $out/lib/ahma_mcp/worker
    makeWrapper $out/lib/ahma_mcp/ahma_mcp $out/bin/ahma_mcp --set AHMA_DENO ${deno}/bin/deno
    runHook postInstall
  '';

  meta = {
    description = "@DESCRIPTION@";
    homepage = "@PAGE@";
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "ahma_mcp";
    platforms = lib.platforms.linux ++ lib.platforms.darwin;
  };
}
