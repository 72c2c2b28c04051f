/** The text of a tool file and what to call it in messages. */
export interface ToolText {
  readonly file: string;
  readonly text: string;
}
