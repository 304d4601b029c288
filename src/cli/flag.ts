// One flag of a command: what the parser and the help are made from.

export interface Flag {
  /** Without dashes. */
  name: string;
  kind: "switch" | "value" | "list";
  /** Placeholder of the value in help: `<file>`. */
  value?: string;
  help: string;
}
