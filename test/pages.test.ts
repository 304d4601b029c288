// Pages lead somewhere: every link between them is to a file, and to a heading of it.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && !path.startsWith("test/"));

/** As GitHub names the headings of a page. */
function anchorsOf(text: string): Set<string> {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  return new Set(
    [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function brokenLinks(page: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : join(dirname(page), path);
    if (relative(".", file).startsWith("..") || !existsSync(join(ROOT, file))) return true;
    if (anchor === undefined) return false;
    return statSync(join(ROOT, file)).isDirectory() || !anchorsOf(read(file)).has(anchor);
  });
}

test.each(pages)("%s: its links lead to files and headings", (page) => {
  expect(brokenLinks(page, read(page))).toEqual([]);
});

test.each([
  ["a file that is not there", "[x](none.md)"],
  ["a heading that is not there", "[x](docs/method.md#none)"],
  ["a heading of this page that is not there", "[x](#none)"],
  ["a place outside the repository", "[x](../other.md)"],
])("%s is seen", (_, text) => {
  expect(brokenLinks("README.md", text)).toHaveLength(1);
});

test.each(pages.filter((page) => /^docs\/adr\/\d/.test(page)))("%s is one page", (page) => {
  const prose = read(page).replace(/^```[\s\S]*?^```$|^\|.*$/gm, "");
  expect(prose.split(/\s+/).length).toBeLessThan(400);
});

test("the index has every decision", () => {
  const index = read("docs/adr/README.md");
  const names = readdirSync(join(ROOT, "docs/adr")).filter((name) => /^\d/.test(name));
  expect(names.filter((name) => !index.includes(`(${name})`))).toEqual([]);
});

test("the way in names every page, once", () => {
  const linked = [...read("docs/README.md").matchAll(/\]\((\w[\w.-]*\.md)\)/g)].map(([, to]) => to);
  const pages = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  expect(linked.sort()).toEqual(pages.filter((name) => name !== "README.md").sort());
});
