// A comment as GitHub draws it, as nearly as a page here can: its own reader of Markdown, and its
// measures and colours by hand. GitHub also leaves out elements that it does not allow; ours has none.
import { spawnSync } from "node:child_process";

export const HAS_CMARK = spawnSync("cmark-gfm", ["--version"], { stdio: "ignore" }).status === 0;

const EXTENSIONS = ["table", "strikethrough", "autolink", "tagfilter"];

/** As HTML, by cmark-gfm, which GitHub uses: `apt-get install cmark-gfm`. */
function htmlOf(markdown: string): string {
  const extensions = EXTENSIONS.flatMap((name) => ["--extension", name]);
  const words = ["--unsafe", ...extensions];
  const { status, stdout } = spawnSync("cmark-gfm", words, { input: markdown, encoding: "utf8" });
  if (status !== 0) throw new Error("cmark-gfm is not on PATH: apt-get install cmark-gfm");
  return stdout;
}

const STYLE = `
:root { --ground: #fff; --head: #f6f8fa; --ink: #1f2328; --quiet: #59636e; --rule: #d1d9e0; --link: #0969da; --code: #818b981f; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1117; --head: #151b23; --ink: #f0f6fc; --quiet: #9198a1; --rule: #3d444d; --link: #4493f8; --code: #656c7633; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 16px; background: var(--ground); color: var(--ink);
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
.comment { max-width: 860px; border: 1px solid var(--rule); border-radius: 6px; }
.head { padding: 8px 16px; color: var(--quiet); background: var(--head); border-bottom: 1px solid var(--rule); border-radius: 6px 6px 0 0; }
.head b { color: var(--ink); }
.body { padding: 16px; overflow-wrap: break-word; }
.body > :first-child { margin-top: 0; } .body > :last-child { margin-bottom: 0; }
a { color: var(--link); }
h3 { margin: 24px 0 16px; font-size: 1.25em; line-height: 1.25; }
p, ul, table, details, blockquote, pre { margin: 0 0 16px; } ul { padding-left: 2em; } li + li { margin-top: .25em; }
blockquote { padding: 0 1em; color: var(--quiet); border-left: .25em solid var(--rule); }
table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; font-variant: tabular-nums; }
th, td { padding: 6px 13px; border: 1px solid var(--rule); } tr:nth-child(2n) td { background: var(--head); }
code { padding: .2em .4em; font: 85%/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--code); border-radius: 6px; }
pre { padding: 16px; overflow: auto; background: var(--head); border-radius: 6px; } pre code { padding: 0; background: none; }
sub { font-size: 75%; line-height: 0; position: relative; bottom: -.25em; } summary { cursor: pointer; }
`;

export function githubPage(title: string, markdown: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark"><title>${title}</title><style>${STYLE}</style></head>
<body><div class="comment"><div class="head"><b>github-actions</b> bot commented</div>
<div class="body">
${htmlOf(markdown)}</div></div></body></html>
`;
}
