/** `--session-isolation`: each client in a process and a scope of its own, tried at few servers. */
import "./isolation.ts";
import "./handshake.ts";
import "./callback.ts";
import "./session_life.ts";
import { testKilled } from "./killed.ts";
import { testCeiling } from "./servers.ts";
import { testOwnRuntime } from "./spare.ts";

testKilled("isolated", testCeiling);
testOwnRuntime();
