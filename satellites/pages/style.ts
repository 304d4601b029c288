// The page's style sheet, light, dark and printed; no state is told by colour alone.
export const STYLE = `
:root {
  --ground: #ffffff; --raised: #f6f8fa; --ink: #1f2328; --quiet: #59636e; --rule: #d1d9e0; --grid: #e7ebef; --shade: #8c959f;
  --candidate: #bc4c00; --reference: #0969da;
  --pass: #1a7f37; --improved: #0e7490; --regressed: #cf222e; --inconclusive: #8a6100; --invalid: #8250df;
  --no-baseline: #57606a; --waived: #bc4c00; --worse-within: #5c6b00; --new: #0e7490;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --raised: #161b22; --ink: #e6edf3; --quiet: #9198a1; --rule: #3d444d; --grid: #21262d; --shade: #6e7681;
    --candidate: #f0883e; --reference: #58a6ff;
    --pass: #3fb950; --improved: #39c5cf; --regressed: #ff7b72; --inconclusive: #d29922; --invalid: #bc8cff;
    --no-baseline: #9198a1; --waived: #f0883e; --worse-within: #b3bd3c; --new: #39c5cf;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
main, footer { max-width: 1240px; margin: 0 auto; padding: 0 24px; }
.banner { width: min(1192px, 100% - 48px); margin: 24px auto 0; padding: 18px 24px; border: 1px solid var(--rule); border-left: 8px solid currentColor;
  border-radius: 6px; background: var(--raised); }
.banner > * { color: var(--ink); }
.banner h1 { margin: 0; font-size: 26px; letter-spacing: .02em; color: inherit; }
.banner .headline { margin: 2px 0 10px; font-size: 17px; font-weight: 600; overflow-wrap: anywhere; }
.banner p { margin: 4px 0; }
.banner ul { margin: 0 0 10px; padding-left: 20px; overflow-wrap: anywhere; }
.pass { color: var(--pass); } .improved { color: var(--improved); } .regressed { color: var(--regressed); }
.inconclusive { color: var(--inconclusive); } .invalid { color: var(--invalid); }
.no-baseline { color: var(--no-baseline); } .waived { color: var(--waived); }
.worse-within { color: var(--worse-within); } .new { color: var(--new); } .plain { color: var(--ink); }
h2 { margin: 32px 0 8px; padding-bottom: 4px; border-bottom: 1px solid var(--rule); font-size: 19px; }
h4 { margin: 0; font-size: 14px; }
.note { margin: 4px 0 10px; color: var(--quiet); font-size: 13px; font-weight: 400; }
/* A shadow at an edge says that there is more beyond it. */
.scroll { overflow-x: auto; background: linear-gradient(to right, var(--ground) 30%, transparent) 0 / 40px 100% local no-repeat,
  linear-gradient(to left, var(--ground) 30%, transparent) 100% / 40px 100% local no-repeat,
  linear-gradient(to right, var(--shade), transparent) 0 / 14px 100% no-repeat,
  linear-gradient(to left, var(--shade), transparent) 100% / 14px 100% no-repeat; }
.strong { font-weight: 600; } .quiet { color: var(--quiet); }
table { width: 100%; border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 10px 4px 0; text-align: left; white-space: nowrap; border-bottom: 1px solid var(--grid); }
thead th { color: var(--quiet); font-size: 12px; font-weight: 600; }
tr.subject th { padding-top: 12px; white-space: normal; overflow-wrap: anywhere; }
th.number, td.number { text-align: right; }
.state { font-size: 12px; font-weight: 700; letter-spacing: .03em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0; font-size: 14px; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font: 12.5px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: 6px 0; padding: 10px 12px; overflow-x: auto; border-radius: 6px; background: var(--raised); }
main li { overflow-wrap: anywhere; }
details.section { margin-top: 24px; } .section > summary { padding-left: 0; } .section > summary h2 { display: inline; border: 0; }
details.subject { margin: 12px 0; border: 1px solid var(--rule); border-radius: 6px; }
summary { padding: 8px 14px; font-weight: 600; cursor: pointer; overflow-wrap: anywhere; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(460px, 100%), 1fr)); gap: 20px 28px;
  padding: 6px 16px 18px; }
.empty { padding: 0 16px; }
.wide { grid-column: 1 / -1; }
figure { margin: 0; max-width: 640px; } figure.wide { max-width: none; }
figcaption { color: var(--quiet); font-size: 13px; }
.key { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 2px 0 4px; padding: 0; list-style: none;
  color: var(--quiet); font-size: 12px; }
.swatch { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 50%;
  background: currentColor; }
.swatch.evidence, .swatch.square { border-radius: 0; }
.swatch.estimate { width: 16px; border-radius: 0; opacity: .45; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--ink); font-size: 12px; font-variant-numeric: tabular-nums; }
svg .tick, svg .axis-title { fill: var(--quiet); }
.grid { stroke: var(--grid); } .axis { stroke: var(--quiet); }
.candidate { color: var(--candidate); } .reference { color: var(--reference); }
.band { fill: currentColor; opacity: .16; } .curve { fill: none; stroke: currentColor; stroke-width: 2; }
.curve.reference { stroke-dasharray: 6 3; }
.point { fill: currentColor; stroke: var(--ground); stroke-width: 1; }
.bound { stroke-width: 1.2; } .bound.zero { stroke: var(--quiet); }
.bound.tolerance { stroke: var(--quiet); stroke-dasharray: 2 3; }
.bound.floor { stroke: var(--inconclusive); stroke-dasharray: 7 4; } .bound.margin { stroke: var(--regressed); }
.strip .bound.floor { stroke-dasharray: 3 3; } .strip .bound.margin { stroke-width: 3; } svg.strip .tick { font-size: 11px; font-weight: 400; }
.lead { stroke: var(--rule); } svg .bound-label { font-size: 11px; fill: var(--quiet); }
svg .bound-label.floor { fill: var(--inconclusive); } svg .bound-label.margin { fill: var(--regressed); }
.interval { fill: var(--candidate); opacity: .15; } line.estimate { stroke: var(--candidate); stroke-width: 2; }
.decided { stroke: var(--candidate); stroke-dasharray: 3 3; }
.round { fill: var(--candidate); color: var(--candidate); } .round.after { fill: var(--ground); stroke: var(--quiet); }
.swatch.after { border: 1px solid var(--quiet); background: none; } .swatch.estimate { color: var(--candidate); }
.evidence { fill: currentColor; stroke: currentColor; } .evidence.regress { color: var(--regressed); }
.evidence.pass { color: var(--pass); fill: none; } rect.evidence[height="0"] { display: none; } .swatch.evidence.pass { border: 1px solid; background: none; }
svg.strip { float: left; width: 120px; height: 20px; margin-right: 6px; } td:has(> svg.strip) { min-width: 260px; }
.whisker { stroke: currentColor; stroke-width: 3; }
.whisker-dot { fill: currentColor; }
svg.flame { overflow: hidden; } figure svg.flame text { font-size: 12px; } .frame { outline: none; cursor: default; }
.frame .ground { fill: var(--grid); } .frame .rim { fill: none; stroke: var(--ground); stroke-width: 2; }
.frame svg text { paint-order: stroke; stroke: var(--grid); stroke-width: 3px; }
.hatch { fill: none; stroke-width: 2; opacity: .55; } .hatch.more { stroke: var(--regressed); } .hatch.less { stroke: var(--improved); }
.frame.named .rim { stroke: var(--ink); stroke-width: 4; } .frame.named svg text { font-weight: 700; }
.frame:focus .rim, .frame:hover .rim { stroke: var(--reference); stroke-width: 5; }
.frame .says { display: none; pointer-events: none; } .says rect { fill: var(--ground); } .says text:first-of-type { font-weight: 700; }
.frame:hover .says { display: inline; } .frame:focus .says { display: inline; }
.swatch.flame-more, .swatch.flame-less, .swatch.flame-named { width: 16px; border-radius: 0; background: var(--grid); }
.swatch.flame-more { background-image: repeating-linear-gradient(135deg, var(--regressed) 0 2px, transparent 2px 5px); }
.swatch.flame-less { background-image: repeating-linear-gradient(0deg, var(--improved) 0 2px, transparent 2px 5px); }
.swatch.flame-named { border: 2px solid var(--ink); }
footer { margin: 40px auto 24px; color: var(--quiet); font-size: 13px; }
@media (max-width: 700px) {
  .banner { width: calc(100% - 24px); } .banner, main, footer { padding-left: 12px; padding-right: 12px; } td:empty { display: none; }
  thead { display: none; }
  table, tbody { display: block; }
  tr { display: flex; flex-wrap: wrap; justify-content: space-between; padding: 6px 0;
    border-bottom: 1px solid var(--grid); }
  td, tr.subject th { flex: 1 1 100%; display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center;
    column-gap: 12px; padding: 1px 0; border: 0; white-space: normal; text-align: right; overflow-wrap: anywhere; }
  tr.subject { border: 0; padding-bottom: 0; }
  td[data-label]::before { content: attr(data-label); color: var(--quiet); font-weight: 400; text-align: left; }
  td:not([data-label]):first-child, td:not([data-label]):first-child + td { flex: none; }
  td:not([data-label]):first-child + td::before { content: none; }
  svg.strip { width: 96px; height: 16px; margin-left: auto; margin-right: 0; } td:has(> svg.strip) { min-width: 0; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: 6px; }
  .frame.slim svg text { display: none; }
  figure .scroll svg { min-width: 640px; } .wide .scroll svg { min-width: 1080px; }
}
@media print { details.subject { break-inside: avoid; } details::details-content { content-visibility: visible; height: auto; } .banner { border-color: currentColor; } }
`;
