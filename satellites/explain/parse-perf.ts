// Text of `perf script` → stacks by how often they were seen. Every name in it is foreign.
import { plainLine } from "../../src/core/text/escape.ts";
import type { Frame, Stack } from "./model.ts";

/**
 * What the recorder calls, with `-i FILE` behind it; the recording has `-k CLOCK_MONOTONIC`. With
 * inlined functions it takes 45 times as long.
 */
export const PERF_SCRIPT = [
  ...["perf", "script", "--no-inline", "--force"],
  ...["-F", "comm,pid,tid,time,event,ip,sym,dso"],
] as const;

export interface PerfOptions {
  /** Monotonic times: of the first answer of `ready`, and of the load that is profiled. */
  readyMs: number;
  fromMs: number;
  toMs: number;
}

export interface PerfStacks {
  /** Of the CPU clock, within the load. */
  stacks: Stack[];
  /** The same until ready. */
  start: Stack[];
  /** Of page faults, until the load ended. */
  faults: Stack[];
}

/** From the leaf; what is nearer to the root is cut. */
const MOST_FRAMES = 192;
const MOST_STACKS = 150_000;
const MOST_KNOWN = 500_000;
const LONGEST_NAME = 240;
/** A longer line is of no symbol that anybody reads. */
const LONGEST_LINE = 8192;

const HEADER = /^\s*\S.*?\s\d+\/\d+\s+(\d+\.\d+):\s+(\S+):\s*$/;
/** An address, a symbol that may have blanks and brackets, and a file. */
const FRAME = /^\s+([0-9a-f]+) (.*) \((.*)\)$/;
/** The upper half of the address space, on x86 as on ARM; all ones where a stack was lost. */
const KERNEL_ADDRESS = /^ffff(?!f{12})[0-9a-f]{12}$/;

/** Takes text in pieces of any size, in order. */
export class PerfText {
  readonly #options: PerfOptions;
  readonly #found: PerfStacks = { stacks: [], start: [], faults: [] };
  readonly #known = new Map<string, Stack>();
  readonly #frameOf: (symbol: string, path: string) => Numbered;
  /** Where the sample that is being read belongs; null: nowhere. */
  #kind: keyof PerfStacks | null = null;
  #frames: Numbered[] = [];
  #kernel: string[] = [];
  #rest = "";

  /** `place`: a frame as it is to be called. */
  constructor(options: PerfOptions, place = (frame: Frame) => frame) {
    this.#options = options;
    this.#frameOf = frameFinder(place);
  }

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    for (const line of lines) this.#read(line.slice(0, LONGEST_LINE));
  }

  end(): PerfStacks {
    this.#read(this.#rest);
    this.#close();
    return this.#found;
  }

  #read(line: string): void {
    const frame = FRAME.exec(line.replace(/ \(deleted\)\)$/, ")"));
    if (frame !== null) {
      const [, address = "", symbol = "", path = ""] = frame;
      if (this.#kind === null || this.#frames.length >= MOST_FRAMES) return;
      if (KERNEL_ADDRESS.test(address)) this.#kernel.push(symbol);
      else this.#add(this.#frameOf(symbol, path));
      return;
    }
    const [, seconds, event = ""] = HEADER.exec(line) ?? [];
    if (seconds === undefined) return;
    this.#close();
    this.#kind = kindOf(event, Number(seconds) * 1000, this.#options);
  }

  /** One frame stands for a run of unknown ones. */
  #add(frame: Numbered): void {
    const isUnknown = frame.name.startsWith("[");
    if (!isUnknown || frame.name !== this.#frames.at(-1)?.name) this.#frames.push(frame);
  }

  #close(): void {
    const isInKernel = this.#kernel.length > 0;
    const kernel = isInKernel ? [this.#frameOf(kernelName(this.#kernel), KERNEL)] : [];
    const frames = [...kernel, ...this.#frames];
    this.#frames = [];
    this.#kernel = [];
    if (this.#kind !== null && frames.length > 0) this.#count(frames, this.#kind);
  }

  #count(frames: readonly Numbered[], kind: keyof PerfStacks): void {
    const key = `${kind} ${frames.map(({ id }) => id).join()}`;
    const stack = this.#known.get(key) ?? { frames, weight: 0 };
    stack.weight++;
    if (stack.weight > 1 || this.#known.size >= MOST_STACKS) return;
    this.#known.set(key, stack);
    this.#found[kind].push(stack);
  }
}

function kindOf(event: string, atMs: number, { readyMs, fromMs, toMs }: PerfOptions) {
  if (/^(?:minor-faults|page-faults)\b/.test(event)) return atMs <= toMs ? "faults" : null;
  if (!/^(?:cpu|task)-clock\b/.test(event)) return null;
  if (atMs <= readyMs) return "start";
  return atMs >= fromMs && atMs <= toMs ? "stacks" : null;
}

const KERNEL = "[kernel]";

/** By numbers stacks are told apart. */
type Numbered = Frame & { id: number };

/** One object for each function; those beyond the most have one number. */
function frameFinder(place: (frame: Frame) => Frame) {
  const known = new Map<string, Numbered>();
  return (symbol: string, path: string): Numbered => {
    const key = `${symbol}\n${path}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const module = plainLine(path.slice(path.lastIndexOf("/") + 1), LONGEST_NAME);
    const isUnknown = symbol === "[unknown]";
    const name = isUnknown ? `[${module.replace(/^\[|\]$/g, "")}]` : cleanSymbol(symbol);
    const frame = { ...place({ name, module, file: null, line: null }), id: known.size };
    if (known.size < MOST_KNOWN) known.set(key, frame);
    return frame;
  };
}

/** Without what compilers and linkers add: Rust's hashes, suffixes of copies, versions of libraries. */
export function cleanSymbol(symbol: string): string {
  const bare = symbol
    .replace(/(?:\.(?:llvm|cold|part|constprop|isra|lto_priv|localalias)(?:\.?\d+)*)+$/, "")
    .replace(/::h[0-9a-f]{16}$/, "")
    .replace(/@@?[A-Z]+_[\w.]+$/, "")
    .replaceAll("{{closure}}", "{closure}")
    .replace(/\{closure#\d+\}/g, "{closure}");
  return plainLine(bare, LONGEST_NAME);
}

/** The half of a stack that the kernel ran, by what it was asked for. Symbols are leaf first. */
function kernelName(symbols: readonly string[]): string {
  if (symbols.some((one) => one.includes("page_fault"))) return "[kernel] page fault";
  const at = symbols.findIndex((one) => /^(?:do_syscall_64|invoke_syscall)$/.test(one));
  const call = symbols[at - 1]?.replace(/^(?:__(?:x64|arm64|se|do)_sys_|__sys_|ksys_|do_)/, "");
  if (at >= 0) return `[kernel] ${call ?? "syscall"}`;
  return symbols.some((one) => /sysvec|interrupt/.test(one)) ? "[kernel] interrupt" : KERNEL;
}
