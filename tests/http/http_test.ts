/** The bridge whose sessions share a server and a sandbox: most of it is asked of one server, which is killed at the end. */
import "./sessions.ts";
import "./delivery.ts";
import "./answers.ts";
import "./matrix.ts";
import "./faults.ts";
import "./listening.ts";
import "./few_sessions.ts";
import "./own_command.ts";
import "./hostile.ts";
import { testKilled } from "./killed.ts";
import { test } from "./servers.ts";

testKilled("shared", test);
