/** Timelines, graphs and plots. */
export const PICTURES = `
svg { display: block; font-family: var(--sans); }
svg text { fill: var(--ink); font-size: 12px; }
.picture { --ground: var(--raised); border: 1px solid var(--line); border-radius: 12px; background-color: var(--raised); margin: 0; padding: 1rem 1.1rem; }
svg.timeline, svg.tree { width: 100%; min-width: 58rem; height: auto; }
.timeline .subject { font-weight: 650; font-size: 13px; }
.timeline .lane, .timeline .gap text { fill: var(--dim); font-size: 11px; }
.axis text { fill: var(--dim); font-size: 11px; }
.axis line { stroke: var(--line); }
.rule { stroke: var(--line); }
.timeline .bar { fill: color-mix(in oklab, var(--hue) 26%, var(--raised)); stroke: var(--hue); stroke-width: 1; }
.timeline a:hover .bar, .timeline a:focus-visible .bar { stroke-width: 2.5; }
.timeline .bar-name { font-size: 11px; pointer-events: none; }
.timeline a { outline-offset: 0; }
.bar.model, .key-model { --hue: var(--accent); }
.bar.readings, .key-readings { --hue: var(--amber); }
.bar.calls, .key-calls { --hue: var(--violet); }
.bar.is-failed, .bar.is-interrupted, .bar.is-driver-gone, .key-failed { --hue: var(--red); }
.bar.is-running { stroke-dasharray: 5 3; }
.key-running { --hue: var(--accent); border-style: dashed; }
.bar.is-superseded, .key-superseded { --hue: var(--dim); }
.bar.adopted, .key-adopted { --hue: var(--dim); stroke-dasharray: 3 2; }
.waits-ground { fill: var(--raised); }
.waits-line { fill: var(--amber); }
.waits { stroke: var(--amber); }
.timeline .suspended { fill: color-mix(in oklab, var(--amber) 12%, transparent); }
.timeline .gap rect { fill: var(--sunk); }
.legend { display: flex; flex-wrap: wrap; gap: 0.3rem 1.4rem; list-style: none; margin: 0.8rem 0 0; padding: 0; font-size: var(--small); }
.legend li { display: inline-flex; align-items: center; gap: 0.5em; }
.legend + .note { font-size: var(--small); margin-top: 0.5rem; }
.key { width: 0.95em; height: 0.95em; border-radius: 3px; background: color-mix(in oklab, var(--hue, var(--from)) 30%, var(--raised)); border: 1px solid var(--hue, var(--from)); flex: none; }
.key-waits, .key-suspended { --hue: var(--amber); }
.key-waits { background: repeating-linear-gradient(45deg, var(--amber) 0 2px, transparent 2px 5px); }
.origins { width: 100%; height: 0.9rem; border-radius: 4px; overflow: hidden; }
.origins rect { fill: color-mix(in oklab, var(--from) 60%, var(--raised)); stroke: var(--paper); stroke-width: 0.15; }
svg.graph { max-width: none; margin: 0 auto; }
.graph .box rect { fill: var(--raised); stroke: var(--dim); stroke-width: 1.2; }
.graph .box:hover rect, .graph .box:focus-visible rect { stroke: var(--accent); stroke-width: 2.5; }
.graph .box-title { font-weight: 650; font-size: 13px; }
.graph .box-subtitle { fill: var(--dim); font-size: 11px; }
.graph .box-ambient rect { fill: color-mix(in oklab, var(--amber) 12%, var(--raised)); stroke: var(--amber); }
.graph .box-node rect { fill: color-mix(in oklab, var(--accent) 14%, var(--raised)); stroke: var(--accent); }
.graph .box-tool rect { fill: color-mix(in oklab, var(--violet) 12%, var(--raised)); stroke: var(--violet); }
.graph .box-apply rect { fill: color-mix(in oklab, var(--green) 12%, var(--raised)); stroke: var(--green); }
.graph .arrow { fill: none; stroke: var(--dim); stroke-width: 1.3; }
.graph .arrow-head { fill: var(--dim); stroke: none; }
.graph .mutual { stroke-dasharray: 4 3; }
.lives .place-name { font-weight: 650; font-size: 13px; }
.lives circle { fill: none; }
.lives .acted { fill: var(--accent); }
.lives .changed { fill: var(--raised); stroke: var(--accent); stroke-width: 1.6; }
.lives .recalls { fill: var(--amber); }
.lives a:hover circle, .lives a:focus-visible circle { stroke: var(--accent); stroke-width: 2.6; }
.tree .stem { fill: none; stroke: var(--dim); stroke-width: 2; }
.tree circle { fill: var(--raised); stroke: var(--dim); stroke-width: 2; }
.tree .is-here .stem, .tree .is-here circle { stroke: var(--accent); }
.tree .is-here circle { fill: var(--accent); }
.tree .is-here text { font-weight: 650; }
.tree a text { fill: var(--accent); }
.picture + .plain { margin-top: 0.8rem; font-size: var(--small); }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 1rem; }
.plot { margin: 0; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); padding: 0.8rem 1rem; }
.plot figcaption { font-size: var(--small); color: var(--dim); margin-bottom: 0.2rem; }
.plot .line { fill: none; stroke: var(--accent); stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round; }
.plot circle { fill: var(--raised); stroke: var(--accent); stroke-width: 2; }
.plot .ground { stroke: var(--line); }
.plot text { fill: var(--dim); font-size: 11px; }
.plot .value { fill: var(--ink); font-weight: 650; font-size: 12px; }
`;
