// What a run tells while it runs. The application says what happens; how it is shown is the
// caller's matter.

export interface Progress {
  /** A stage begins: `build`, `measure`, … Later lines belong to it. */
  stage(name: string): void;
  /** Something happened that stays true. */
  note(line: string): void;
  /** What is going on at this moment; replaced by the next. */
  status(line: string): void;
  /** No line holds this value; whoever keeps the log hides it, should another program print it. */
  secret(value: string): void;
}

export const silentProgress: Progress = {
  stage: () => {},
  note: () => {},
  status: () => {},
  secret: () => {},
};
