/** The scripts of the page, in their order. */
import ANSI from "./ansi.js" with { type: "text" };
import API from "./api.js" with { type: "text" };
import CHANGES from "./changes.js" with { type: "text" };
import DETAIL from "./detail.js" with { type: "text" };
import DOM from "./dom.js" with { type: "text" };
import HOST_APP from "./host_app.js" with { type: "text" };
import LIST from "./list.js" with { type: "text" };
import MAIN from "./main.js" with { type: "text" };
import MODEL from "./model.js" with { type: "text" };
import OUTPUT from "./output.js" with { type: "text" };
import PERMISSIONS from "./permissions.js" with { type: "text" };
import PLACES from "./places.js" with { type: "text" };
import TERMINAL from "./terminal.js" with { type: "text" };
import TEXT from "./text.js" with { type: "text" };
import TIMELINE from "./timeline.js" with { type: "text" };

/** The last one starts the page. */
export const SCRIPTS: readonly string[] = [
  DOM,
  TEXT,
  ANSI,
  API,
  HOST_APP,
  MODEL,
  OUTPUT,
  TERMINAL,
  CHANGES,
  DETAIL,
  LIST,
  PERMISSIONS,
  PLACES,
  TIMELINE,
  MAIN,
];
