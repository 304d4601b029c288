// What the checks of doctor share. Each check reads a few files and says what it saw, what that
// does to a measurement, and the command that mends it. One whose files are not there says nothing.
// Nothing is changed, and none needs to be root.
import type { Finding } from "../../../core/model/host.ts";

/** Reads what the kernel shows. Paths are absolute. */
export interface HostFiles {
  /** Trimmed text; null: not there, or not ours to read. */
  read(path: string): string | null;
  /** Names in a folder; empty when it is not there. */
  list(path: string): string[];
}

export type Judgement = Omit<Finding, "id">;

/** By the id of what each finds. */
export type Checks = Readonly<Record<string, (files: HostFiles) => Judgement | null>>;

const judgement =
  (level: Finding["level"]) =>
  (text: string, fix: string | null = null): Judgement => ({ level, text, fix });
export const good: (text: string) => Judgement = judgement("good");
export const note = judgement("note");
export const bad = judgement("bad");

export const writeTo = (value: string, path: string) => `echo ${value} | sudo tee ${path}`;
