/** The shipped tool files: the tests of a group share a server. The first are those that find programs of a registry first. */
export const GROUPS = {
  built: ["bun", "cargo", "cmake", "go", "gradlew", "make", "maven", "pnpm", "quality_check", "ruff", "uv", "yarn"],
  served: ["deno", "docker", "file-tools", "gh", "git", "kubectl", "npm", "pytest", "python", "ssh"],
} as const;
