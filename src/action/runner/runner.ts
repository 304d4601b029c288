// What the action says to the runner: outputs, annotations, summary, log. An interface, so that
// every mode can be tested without a runner; the one that talks to a real one is in toolkit.ts.
import type { Annotation } from "../../core/model/export.ts";
import type { OutputName } from "../inputs/contract.ts";

export interface Runner {
  output(name: OutputName, value: string): void;
  annotate(annotation: Annotation): void;
  /** Markdown, shown on the page of the workflow run; of several calls the last one stays. */
  summary(markdown: string): void;
  /** One line of the log. Whatever stands in it, the runner takes it for text. */
  log(line: string): void;
  /** Lines up to endGroup are folded under this title. */
  startGroup(title: string): void;
  endGroup(): void;
  /** The value is shown as *** in the log from now on. */
  hide(secret: string): void;
}
