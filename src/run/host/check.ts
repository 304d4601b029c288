// What the checks of doctor share. Each check reads a few files and says what it saw, what that does to a measurement, and
// the command that mends it. One whose files are not there says nothing. Nothing is changed, and none needs to be root.
import type { Finding } from "../../model/host.ts";

/** Reads what the kernel shows. Paths are absolute. */
export interface HostFiles {
  /** Trimmed text; null: not there, or not ours to read. */
  read(path: string): string | null;
  /** Names in a folder; empty when it is not there. */
  list(path: string): string[];
}

export type Check = (files: HostFiles) => Finding | null;

export const good = (id: string, text: string): Finding => ({ id, level: "good", text, fix: null });
export const note = (id: string, text: string, fix: string | null = null): Finding => ({
  id,
  level: "note",
  text,
  fix,
});
export const bad = (id: string, text: string, fix: string | null = null): Finding => ({
  id,
  level: "bad",
  text,
  fix,
});

export const writeTo = (value: string, path: string) => `echo ${value} | sudo tee ${path}`;
