// What the page of a history has beyond every page's style.
export const HISTORY_STYLE = `
a { color: var(--reference); }
#tools { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center;
  padding: 8px 0; background: var(--ground); border-bottom: 1px solid var(--rule); font-size: 13px; }
#tools[hidden] { display: none; }
#tools .note { margin: 0; }
button, select { padding: 3px 10px; border: 1px solid var(--quiet); border-radius: 6px; background: var(--raised);
  color: var(--ink); font: inherit; }
.series { min-width: 0; }
.series h3 { margin: 0; font-size: 15px; overflow-wrap: anywhere; }
.series .note { margin: 0; }
.series ul { margin: 4px 0; padding-left: 20px; font-size: 13px; }
.series summary { padding: 4px 0; font-size: 13px; }
.series th, .series td { padding-right: 8px; font-size: 13px; }
.chart { position: relative; height: 190px; touch-action: pan-y; cursor: crosshair; user-select: none; }
.chart svg { width: auto; height: auto; overflow: hidden; }
.chart > svg { overflow: visible; }
.chart input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; pointer-events: none; }
.chart:focus-within { outline: 2px solid var(--reference); outline-offset: 2px; }
.chart .area { position: absolute; top: 18px; bottom: 24px; background: var(--reference); opacity: .2; pointer-events: none; }
.chart .bars { fill: none; stroke: var(--reference); opacity: .22; } .chart .level { stroke: var(--reference); stroke-width: 3; opacity: .6; }
.chart .line { fill: none; stroke: var(--reference); }
.chart .points { fill: none; stroke: var(--reference); stroke-width: 5; stroke-linecap: round; }
.chart .many { stroke-width: 2; }
.chart .mark { stroke: var(--quiet); stroke-dasharray: 2 3; }
.chart .break { stroke: var(--ink); stroke-width: 2; }
.chart path.change { fill: currentColor; } .chart line.change { stroke: currentColor; }
.chart .chosen { fill: none; stroke: var(--ink); stroke-width: 2; }
.readout:empty { display: none; }
.readout { margin: 4px 0; font-size: 13px; overflow-wrap: anywhere; }
@media (max-width: 700px) { #tools .note { display: none; } }
`;
