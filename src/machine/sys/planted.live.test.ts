// Where another user, or an earlier job, may have been first: what lies there is neither run nor
// written through.
import {
  chmodSync,
  fstatSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { makeCacheFolder, writeFileAtomic } from "./files.ts";
import { isNoexec } from "./find-program.ts";

test.each<[string, (folder: string) => string, (folder: string) => unknown]>([
  [
    "a file that is written",
    (folder) => join(folder, "report.json"),
    (folder) => writeFileAtomic(join(folder, "report.json"), "ours"),
  ],
  [
    "a program that is tried",
    (folder) => join(folder, `.tailgate-probe-${process.pid}`),
    (folder) => isNoexec(folder),
  ],
])("a link in the way of %s leads to nothing that is changed", (_, linkIn, work) => {
  const folder = makeFolder();
  const victim = join(makeFolder(), "victim");
  writeFileSync(victim, "theirs");
  symlinkSync(victim, linkIn(folder));
  work(folder);
  expect(readFileSync(victim, "utf8")).toBe("theirs");
});

const STRANGER = 65534;

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  return { ...real, fstatSync: vi.fn(real.fstatSync) };
});

/** What is made from now on is theirs. */
const makesFor = (uid: number): unknown =>
  vi.mocked(fstatSync).mockImplementation((() => ({ uid })) as unknown as typeof fstatSync);

/** As by a file server that lets nobody be root: so is all that we make. */
function isOfNobody(path: string): void {
  isOfStranger(path);
  makesFor(process.getuid?.() === 0 ? STRANGER : statSync(path).uid);
}

/** Root can give it away; for anybody else we are somebody else from now on. */
function isOfStranger(path: string): void {
  const [own, program] = [process.getuid?.(), process.argv[1] ?? ""];
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    vi.mocked(fstatSync).mockReset();
    process.argv[1] = program;
  });
  process.argv[1] = "/";
  makesFor(own === 0 ? 0 : STRANGER);
  if (own === 0) lchownSync(path, STRANGER, STRANGER);
  else vi.spyOn(process, "getuid").mockReturnValue(STRANGER);
}

test.each<[string, (cache: string) => void, string | null, used?: string]>([
  ["that another user made", isOfStranger, "/cache is not used"],
  ["that everybody may write", (cache) => chmodSync(cache, 0o777), "everybody may write there"],
  ["that the group may write", (cache) => chmodSync(cache, 0o775), null],
  ["that is everybody's, each what they made, as /tmp", (cache) => chmodSync(cache, 0o1777), null],
  [
    "whose folder is everybody's, as /tmp",
    (cache) => {
      mkdirSync(join(cache, "build"));
      chmodSync(join(cache, "build"), 0o1777);
    },
    "/build is not used",
  ],
  [
    "that lies in another user's folder, however far above",
    (cache) => {
      rmSync(cache, { recursive: true });
      mkdirSync(join(cache, "ours/build"), { recursive: true });
      isOfStranger(cache);
    },
    "/cache is not used",
    "ours/build/tools",
  ],
  [
    "that a link of ours leads to, in another user's folder",
    (cache) => {
      const theirs = join(makeFolder(), "theirs");
      mkdirSync(join(theirs, "ours/build"), { recursive: true });
      rmSync(cache, { recursive: true });
      symlinkSync(join(theirs, "ours"), cache);
      isOfStranger(theirs);
    },
    "/theirs is not used",
  ],
  [
    "below a home that another user gave us",
    (cache) => {
      mkdirSync(join(cache, "ours/build"), { recursive: true });
      isOfStranger(cache);
      vi.stubEnv("HOME", cache);
    },
    null,
    "ours/build/tools",
  ],
  [
    "below a home that is a link into another user's folder",
    (cache) => {
      const theirs = join(makeFolder(), "theirs");
      mkdirSync(join(theirs, "home/ours/build"), { recursive: true });
      rmSync(cache, { recursive: true });
      symlinkSync(join(theirs, "home"), cache);
      isOfStranger(theirs);
      vi.stubEnv("HOME", cache);
    },
    null,
    "ours/build/tools",
  ],
  [
    "below a folder that everybody may write, as a volume",
    (cache) => {
      mkdirSync(join(cache, "ours/build"), { recursive: true });
      chmodSync(cache, 0o777);
    },
    null,
    "ours/build/tools",
  ],
  ["that the file system says nobody made, as all that we make", isOfNobody, null],
  [
    "whose folder another user made",
    (cache) => {
      mkdirSync(join(cache, "build"));
      isOfStranger(join(cache, "build"));
    },
    "/build is not used",
  ],
  [
    "that is another user's link to what is ours",
    (cache) => {
      rmSync(cache, { recursive: true });
      symlinkSync(makeFolder(), cache);
      isOfStranger(cache);
    },
    "/cache is not used",
  ],
])("a cache %s", (_, plant, refusal, used = "build") => {
  const cache = join(makeFolder(), "cache");
  mkdirSync(cache);
  plant(cache);
  const use = () => makeCacheFolder(join(cache, used));
  if (refusal === null) expect(use).not.toThrow();
  else expect(use).toThrow(refusal);
});
