/** The shipped tool files: the tests of a group share a server. */
export const GROUPS = {
  built: ["cargo", "cmake", "go", "gradlew", "make", "maven", "quality_check"],
  fetched: ["bun", "pnpm", "ruff", "uv", "yarn"],
  interpreted: ["deno", "npm", "pytest", "python"],
  served: ["docker", "file-tools", "gh", "git", "kubectl", "ssh"],
} as const;
