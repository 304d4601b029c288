// A temporary folder of a test's own for the gates it starts. What they start and leave behind can
// then be told from what others run on the same machine, whose servers a test must neither count
// nor kill.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface OwnProcess {
  pid: number;
  /** Its command line, words separated by spaces. */
  command: string;
}

/** As the gate names its folders; a test's project is not one. */
const FOLDER = /^tailgate-[A-Za-z0-9]{6}$/;

export class GateTemporary {
  readonly path = mkdtempSync(join(tmpdir(), "gate-tmp-"));
  /** An argument by which processes() knows those that run elsewhere, such as services. */
  readonly mark = join(this.path, "mark");
  readonly #usual = process.env.TMPDIR;

  constructor() {
    // PostgreSQL runs as another user when the gate is root, and has to get to its folder.
    chmodSync(this.path, 0o755);
    process.env.TMPDIR = this.path;
  }

  /**
   * Living processes that run in a gate's folder here, or were started with a path in one or with
   * the mark.
   */
  processes(): OwnProcess[] {
    return readdirSync("/proc").flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        const place = readlinkSync(`/proc/${name}/cwd`);
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        const own = [place, ...command.split(" ")].some((word) => this.#isOwn(word));
        return own ? [{ pid: Number(name), command }] : [];
      } catch {
        // Gone in between.
        return [];
      }
    });
  }

  /** Folders that gates have made here. */
  folders(): string[] {
    return readdirSync(this.path).filter((name) => FOLDER.test(name));
  }

  #isOwn(path: string): boolean {
    if (path === this.mark) return true;
    const [folder = ""] = path.startsWith(`${this.path}/`)
      ? path.slice(this.path.length + 1).split("/")
      : [];
    return FOLDER.test(folder);
  }

  remove(): void {
    if (this.#usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = this.#usual;
    rmSync(this.path, { recursive: true, force: true });
  }
}
