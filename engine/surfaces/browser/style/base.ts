/** Colours, type and spaces: one scale of type (six steps of 1.2), one accent, light and dark. */
export const BASE = `
:root {
  color-scheme: light dark;
  --paper: #fcfbf8; --raised: #ffffff; --sunk: #f3f1eb; --ink: #1d2226; --dim: #5c6368; --line: #dcd8ce;
  --accent: #0a675f; --accent-soft: #e0efec; --edge: rgb(29 34 38 / 22%);
  --red: #a62b1f; --amber: #8a5a00; --green: #2c6a35; --blue: #2a5a9e; --violet: #6a4798; --tone: 52% 0.13;
  --small: 0.833rem; --body: 1rem; --large: 1.2rem; --title: 1.44rem; --head: 1.728rem; --display: 2.074rem;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "Source Serif 4", "Noto Serif", Georgia, serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "Noto Sans Mono", Menlo, Consolas, monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --raised: #1c2024; --sunk: #22272b; --ink: #e6e4de; --dim: #a3a9ad; --line: #343a3f;
    --accent: #64cdbf; --accent-soft: #1d3532; --edge: rgb(230 228 222 / 20%);
    --red: #ff9385; --amber: #e5b455; --green: #86ce8f; --blue: #8fbcf5; --violet: #c7a5f2; --tone: 78% 0.13;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1.5rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: var(--body)/1.55 var(--sans); overflow-wrap: anywhere; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
:target > h2, :target > h3, li:target { background: var(--accent-soft); border-radius: 4px; box-shadow: -0.4rem 0 0 var(--accent-soft), 0.4rem 0 0 var(--accent-soft); }
code, pre, time { font-variant-numeric: tabular-nums; }
code, pre { font-family: var(--mono); font-size: 0.9em; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: var(--display); letter-spacing: -0.015em; margin: 0.1rem 0 0.5rem; font-weight: 680; }
h2 { font-size: var(--large); margin: 0 0 0.9rem; font-weight: 650; }
h3 { font-size: var(--body); margin: 1.4rem 0 0.4rem; font-weight: 650; }
p { margin: 0 0 0.7rem; }
.dim, .lane { color: var(--dim); font-weight: 400; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--raised); padding: 0.5rem 0.9rem; z-index: 2; border-radius: 0 0 6px 6px; }
.skip:focus { top: 0; }
.top { border-bottom: 1px solid var(--line); background: var(--raised); }
.top > div, main, footer { max-width: 71rem; margin: 0 auto; padding: 0 1.25rem; }
.top > div { display: flex; flex-wrap: wrap; align-items: center; gap: 0.2rem 1.4rem; min-height: 3.4rem; }
.brand { font-weight: 720; letter-spacing: -0.01em; color: var(--ink); text-decoration: none; font-size: var(--large); padding: 0.45rem 0; }
.brand::before { content: ""; display: inline-block; width: 0.62em; height: 0.62em; border-radius: 50%; background: var(--accent); margin-right: 0.45em; }
.top nav ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; list-style: none; margin: 0; padding: 0; }
.top nav a, .top button { display: inline-block; padding: 0.45rem 0; color: var(--ink); text-decoration: none; }
.top nav a:hover, .top nav a[aria-current] { color: var(--accent); text-decoration: underline; }
.top form { margin-left: auto; }
.top button { background: none; border: 0; font: inherit; color: var(--dim); cursor: pointer; }
.top button:hover { color: var(--accent); text-decoration: underline; }
main { padding-top: 2rem; padding-bottom: 3rem; }
main:focus { outline: none; }
.trail ol { display: flex; flex-wrap: wrap; list-style: none; margin: 0 0 0.8rem; padding: 0; font-size: var(--small); }
.trail li + li::before { content: "/"; color: var(--dim); margin: 0 0.55rem; }
.eyebrow { color: var(--dim); font-size: var(--small); margin: 0; }
.lede { max-width: 46rem; font-size: 1.05rem; color: var(--ink); }
.section { margin-top: 2.6rem; }
.contents { margin-top: 1.2rem; font-size: var(--small); }
.contents ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.1rem; list-style: none; margin: 0; padding: 0; }
footer { border-top: 1px solid var(--line); padding-top: 1rem; padding-bottom: 2.5rem; color: var(--dim); font-size: var(--small); }
footer p { display: flex; flex-wrap: wrap; gap: 0.3rem 1.4rem; }
.live { margin: 0; color: var(--dim); font-size: var(--small); }
.live::before { content: ""; display: inline-block; width: 0.55em; height: 0.55em; border-radius: 50%; background: currentColor; margin-right: 0.45em; }
.live[data-state="live"]::before { background: var(--green); }
.live[data-state="lost"] { color: var(--red); }
.empty { color: var(--dim); background: var(--sunk); border-radius: 8px; padding: 1rem 1.2rem; max-width: 46rem; }
.empty code { display: inline-block; color: var(--ink); background: var(--raised); border-radius: 4px; padding: 0.05em 0.45em; max-width: 100%; }
.note { color: var(--dim); }
.more { margin-top: 1rem; }
details > summary { cursor: pointer; padding: 0.2rem 0; }
details > summary:hover { color: var(--accent); }
.sign-in { max-width: 26rem; }
.sign-in label { display: block; font-weight: 600; margin-bottom: 0.3rem; }
.sign-in input, .field input, .field select, .field textarea { width: 100%; font: inherit; padding: 0.6rem 0.7rem; color: var(--ink); background: var(--raised); border: 1px solid var(--dim); border-radius: 6px; }
.sign-in button { margin-top: 0.9rem; }
.sign-in button, .decision button, .search button { font: inherit; font-weight: 600; padding: 0.6rem 1.3rem; border: 0; border-radius: 6px; background: var(--accent); color: var(--paper); cursor: pointer; }
@media (max-width: 44rem) {
  .top > div { padding-top: 0.3rem; gap: 0 1.4rem; }
  .top nav { order: 3; width: 100%; font-size: var(--small); }
  .top nav ul { gap: 0 0.7rem; }
}
@media (max-width: 40rem) { h1 { font-size: var(--head); } main { padding-top: 1.3rem; } .section { margin-top: 2rem; } }
`;
