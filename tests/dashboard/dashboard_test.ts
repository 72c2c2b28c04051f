/** The dashboard: what its server tells and does, its page in a browser, and the page in hosts of MCP Apps. */
import "./served.ts";
import "./app.ts";
import "./page.ts";
