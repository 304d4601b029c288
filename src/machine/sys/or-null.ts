// For what may not be there, or not be ours to read, or go away meanwhile, as a process does.
// Imports nothing of ours, so that the janitor may use it too.
import { readdirSync, readFileSync } from "node:fs";

export function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

export const readOrEmpty = (path: string): string => orNull(() => readFileSync(path, "utf8")) ?? "";

/** The names in a folder. */
export const listOrEmpty = (folder: string): string[] => orNull(() => readdirSync(folder)) ?? [];
