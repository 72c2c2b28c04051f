import assert from "node:assert/strict";
import { sanitiseGitConfiguration } from "./git_configuration.ts";

const ORIGINAL = `
[user]
	name = A "quoted" Person # kept as git reads it
	email = a@example.org
	signingkey = /home/u/.ssh/id
[credential]
	helper = !/usr/bin/steal
[credential "https://example.org"]
	username = u
[url "https://token@example.org/"]
	insteadOf = https://example.org/
[core]
	sshCommand = ssh -i /home/u/.ssh/id
	autocrlf = input
	fsmonitor = /x
	hooksPath = /x
[alias]
	st = status
	x = !sh -c id
[include]
	path = /home/u/.secret
[init] ; comment
	defaultBranch = main
[pull]
	rebase = true
`;

Deno.test("S4 sanitiseGitConfiguration() keeps who and how, and nothing that runs, includes or authenticates", () => {
  assert.deepStrictEqual(
    sanitiseGitConfiguration(ORIGINAL, ['/a "b"']),
    [
      "[user]",
      '\tname = A "quoted" Person # kept as git reads it',
      "[user]",
      "\temail = a@example.org",
      "[core]",
      "\tautocrlf = input",
      "[init]",
      "\tdefaultBranch = main",
      "[pull]",
      "\trebase = true",
      "[safe]",
      '\tdirectory = "/a \\"b\\""',
      "",
    ].join("\n"),
  );
});

Deno.test("S4 sanitiseGitConfiguration() of nothing marks the scopes as safe and no more", () => {
  assert.deepStrictEqual(sanitiseGitConfiguration("", ["/p"]), '[safe]\n\tdirectory = "/p"\n');
});
