/** Which hosts the programs of a project fetch from, and where its files name more. Pure data. */
import { words } from "../../../../base/text.ts";
import type { FilePatterns } from "./project_names.ts";

const PACKAGES = "packages";
const BOTH = "packages,git-hosts";

/** Entries of a list of hosts by program. */
export const HOSTS_OF_PROGRAMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    words("npm pnpm yarn bun deno python3 .venv/bin/python uv poetry pdm pipenv hatch tox nox cargo go mvn")
      .map((program) => [program, PACKAGES]),
  ),
  // Distributions of Gradle come from a git host.
  gradle: BOTH,
  java: BOTH,
  sbt: "packages,repo.scala-sbt.org,repo.typesafe.com",
  lein: "packages,repo.clojars.org",
  clojure: "packages,repo.clojars.org,git-hosts",
  pixi: "packages,conda.anaconda.org",
  bundle: "rubygems.org,index.rubygems.org",
  composer: "packagist.org,repo.packagist.org,git-hosts",
  mix: "hex.pm,repo.hex.pm,builds.hex.pm",
  rebar3: "hex.pm,repo.hex.pm",
  dotnet: "api.nuget.org,www.nuget.org",
  dart: "pub.dev",
  swift: "git-hosts",
  zig: "git-hosts",
  cabal: "hackage.haskell.org",
  stack: "hackage.haskell.org,casa.stackage.org,stackage.org,git-hosts",
};

const REQUIREMENTS =
  /(?:--(?:extra-)?index-url|--find-links|^-[if]|@)[ \t=]+(?:git\+)?((?:https?|ssh):\/\/[^\s"'#]{1,300})/gm;
const GRADLE = /\b(?:url|setUrl|uri|maven)\b[ \t]*[=(]?[ \t]*(?:uri\()?[ \t]*["'](https?:\/\/[^"'\s]{1,300})/g;
const IMPORTS = /"(https:\/\/[^"\s]{1,300})"/g;

/** Addresses of registries, repositories and modules. */
export const ADDRESSES: FilePatterns = [
  [".npmrc", /^[ \t]*(?:@[\w.-]{1,100}:)?registry[ \t]*=[ \t]*["']?(https?:\/\/[^\s"']{1,300})/gm],
  [".yarnrc.yml", /\bnpmRegistryServer:[ \t]*["']?(https?:\/\/[^\s"']{1,300})/g],
  ["bunfig.toml", /\b(?:registry|url)[ \t]*=[ \t]*"(https?:\/\/[^"\s]{1,300})/g],
  ["package.json", /":[ \t]*"(?:git\+)?((?:https|ssh):\/\/[^"\s]{1,200}\.(?:git|tgz|tar\.gz))\b/g],
  ["deno.json", IMPORTS],
  ["deno.jsonc", IMPORTS],
  ["requirements.txt", REQUIREMENTS],
  ["requirements-dev.txt", REQUIREMENTS],
  ["pyproject.toml", /\b(?:url|index-url|git)[ \t]*=[ \t]*["'](https?:\/\/[^"'\s]{1,300})/g],
  ["uv.toml", /\b(?:url|index-url)[ \t]*=[ \t]*["'](https?:\/\/[^"'\s]{1,300})/g],
  ["Pipfile", /\b(?:url|git)[ \t]*=[ \t]*["'](https?:\/\/[^"'\s]{1,300})/g],
  ["Cargo.toml", /\bgit[ \t]*=[ \t]*"((?:https?|ssh):\/\/[^"\s]{1,300})/g],
  // Files of .cargo, the one hidden directory that is read.
  ["config.toml", /^[ \t]*(?:registry|index)[ \t]*=[ \t]*"(?:sparse\+)?((?:https?|ssh):\/\/[^"\s]{1,300})/gm],
  ["pom.xml", /<(?:repository|pluginRepository)>[^]{0,400}?<url>\s{0,20}(https?:\/\/[^<\s]{1,300})/g],
  ["build.gradle", GRADLE],
  ["build.gradle.kts", GRADLE],
  ["settings.gradle", GRADLE],
  ["settings.gradle.kts", GRADLE],
  ["gradle-wrapper.properties", /\bdistributionUrl[ \t]*=[ \t]*(https?\\?:\/\/[^\s]{1,300})/g],
  ["Gemfile", /\bsource[ \t]*\(?[ \t]*["'](https?:\/\/[^"'\s]{1,300})/g],
  ["composer.json", /"url"[ \t]*:[ \t]*"(https?:\/\/[^"\s]{1,300})/g],
  [".gitmodules", /^[ \t]*url[ \t]*=[ \t]*(\S{1,300})/gm],
];
