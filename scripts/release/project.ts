/** The facts about the project for packages and stores; the version is the program's own. */
import { VERSION } from "../../src/base/version.ts";

/** The facts that every way to publish the program shares. */
export interface Project {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** At most 100 characters, because the MCP registry takes no more. */
  readonly description: string;
  readonly keywords: readonly string[];
  /** An SPDX expression. */
  readonly license: string;
  readonly authors: string;
  /** Owner and name on GitHub, as in `owner/ahma_mcp`; undefined: a package for this machine only. */
  readonly repository: string | undefined;
}

/** A project that has a place on GitHub, as each release has. */
export interface PublicProject extends Project {
  readonly repository: string;
}

/** The facts, for a repository. @throws {Error} when `repository` is not OWNER/NAME */
export function projectFacts(repository: string): PublicProject;
export function projectFacts(repository: string | undefined): Project;
export function projectFacts(repository: string | undefined): Project {
  if (repository !== undefined && !/^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/.test(repository)) {
    throw new Error(`"${repository}" is no repository: give OWNER/NAME, as GitHub shows it`);
  }
  return {
    name: "ahma_mcp",
    title: "Ahma",
    version: VERSION,
    description: "Command-line programs as tools for AI agents; every command runs in a kernel sandbox.",
    keywords: ["mcp", "modelcontextprotocol", "sandbox", "landlock", "cli", "agent"],
    license: "MIT OR Apache-2.0",
    authors: "the ahma_mcp authors",
    repository,
  };
}

/** The name in the MCP registry: GitHub owners have the name space `io.github.OWNER`. */
export function registryName({ name, repository }: PublicProject): string {
  return `io.github.${ownerOf(repository)}/${name}`;
}

/** The owner of a repository. */
export function ownerOf(repository: string): string {
  return repository.slice(0, repository.indexOf("/"));
}

/** Where the project is read on the web. */
export function pageOf({ repository }: PublicProject): string {
  return `https://github.com/${repository}`;
}

/** Where a file of this version's release is downloaded. */
export function assetUrl(project: PublicProject, file: string): string {
  return `${pageOf(project)}/releases/download/v${project.version}/${file}`;
}

/** The repository that a task names: `--repository OWNER/NAME`, else the one that GitHub's workflow runs in. */
export function repositoryOf(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): string | undefined {
  const at = words.indexOf("--repository");
  return at === -1 ? environment["GITHUB_REPOSITORY"] : words[at + 1] ?? "";
}
