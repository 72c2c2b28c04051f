/**
 * What both transports carry: requests, bytes that are hard to read, batches, and what each version is offered. All of it
 * is asked of the same servers, because each start costs more than most of these tests.
 */
import "./requests.ts";
import "./capabilities.ts";
import "./batches.ts";
import "./hostile.ts";
import "./nineteen.ts";
