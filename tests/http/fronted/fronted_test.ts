/** Third-party servers behind our HTTP, and what sessions with and without one leave in memory. */
import "./fronted_work.ts";
import "./stuck_server.ts";
import "./fronted.ts";
import "../memory.ts";
