/** Tables, facts, stories, changes, conversations. */
export const PARTS = `
.scroll { --ground: var(--paper); overflow-x: auto; margin: 0 -0.25rem; padding: 0 0.25rem; background: linear-gradient(to right, var(--ground) 40%, transparent) left / 3rem 100%, linear-gradient(to left, var(--ground) 40%, transparent) right / 3rem 100%, linear-gradient(to right, var(--edge), transparent) left / 0.9rem 100%, linear-gradient(to left, var(--edge), transparent) right / 0.9rem 100%; background-attachment: local, local, scroll, scroll; background-repeat: no-repeat; }
table { border-collapse: collapse; width: 100%; font-size: 0.94rem; }
th { text-align: left; font-size: var(--small); font-weight: 500; color: var(--dim); white-space: nowrap; }
th, td { padding: 0.6rem 1rem 0.6rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: normal; }
td { max-width: min(20rem, 60vw); overflow: hidden; text-overflow: ellipsis; }
td :focus-visible { outline-offset: -2px; }
:is(th, td):last-child { padding-right: 0; }
tbody tr:hover { background: var(--sunk); }
td, .sentence :is(time, code, .status, a) { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
:is(th, td).number:not(:last-child) { padding-right: 1.7rem; }
.number:first-child { width: 1%; }
.lines { white-space: pre-wrap; overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10.5rem, 44%), 1fr)); gap: 0.9rem 1.6rem; margin: 0; }
.facts div:only-child { grid-column: 1 / -1; }
.facts div:has(> dd > code) { grid-column: span 2; }
.facts dt { color: var(--dim); font-size: var(--small); }
.facts dd { margin: 0; overflow-wrap: break-word; }
.plain { list-style: none; padding: 0; margin: 0; }
.plain li { padding: 0.3rem 0; }
.tiles { list-style: none; padding: 0; margin: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(8.4rem, 1fr)); gap: 0.8rem; }
.tiles a { display: block; height: 100%; padding: 0.9rem 1.1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); text-decoration: none; color: var(--ink); }
.tiles a:hover { border-color: var(--accent); }
.tile-number { display: block; font-size: var(--title); font-weight: 650; color: var(--accent); font-variant-numeric: tabular-nums; }
.status { display: inline-flex; align-items: center; gap: 0.45em; }
.status::before { content: ""; width: 0.6em; height: 0.6em; border-radius: 50%; background: var(--dim); flex: none; }
.is-committed::before, .is-succeeded::before, .is-success::before { background: var(--green); }
.is-failed::before, .is-interrupted::before, .is-timed-out::before, .is-stopped::before, .is-driver-gone::before { background: var(--red); }
.is-running::before, .is-dispatched::before { background: var(--accent); }
.is-suspended::before, .is-pending::before, .is-deferred::before, .is-queued::before { background: none; border: 2px solid var(--amber); }
.standing { margin: 0.5rem 0 0; padding: 0.5rem 0.9rem; border-radius: 8px; background: var(--sunk); display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; }
.so-far { font-variant-numeric: tabular-nums; }
.reason { white-space: pre-wrap; display: block; margin-top: 0.4rem; font-size: var(--body); }
.failure { color: var(--red); }
pre { margin: 0 0 0.8rem; padding: 1rem 1.1rem; background: var(--sunk); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; }
.json-name { color: var(--dim); }
.json-word { color: var(--violet); }
.cut { display: inline-block; color: var(--dim); font-family: var(--sans); font-style: italic; }
.placeholder { background: var(--accent-soft); border-radius: 4px; padding: 0.05em 0.25em; font-weight: 600; }
.turn { display: grid; grid-template-columns: 11rem minmax(0, 46rem); gap: 0 2rem; padding: 1.5rem 0; border-top: 1px solid var(--line); }
.turn:first-of-type { border-top: 0; padding-top: 0.2rem; }
.turn > header { grid-row: 1 / span 40; }
.turn > header h3 { margin: 0.15rem 0 0.2rem; font-size: var(--large); }
.turn > header p { font-size: var(--small); }
.turn > header :is(a, time) { white-space: nowrap; }
.turn > header .steps { gap: 0 0.8rem; }
.steps { display: inline-flex; flex-wrap: wrap; gap: 0 1.2rem; }
.turn > .patch { grid-column: 2; }
.patch { margin-bottom: 1.1rem; }
.narration { font: 1.16rem/1.6 var(--serif); margin: 0 0 0.3rem; max-width: 46rem; }
.patch summary { color: var(--dim); font-size: 0.94rem; }
.told { display: flex; align-items: flex-start; gap: 0 1rem; }
.told .why { font-size: var(--small); margin-top: 0.18rem; }
.told details { flex: 1; min-width: 0; }
.patch h3 { margin-top: 0.4rem; }
.effects { list-style: none; margin: 0.3rem 0 0.9rem; padding: 0; max-width: 50rem; }
.effect { padding: 0.6rem 0 0.6rem 1rem; border-left: 3px solid var(--line); margin-bottom: 0.5rem; }
.who { font-family: var(--mono); font-size: 0.9em; font-weight: 600; color: var(--ink); }
.op { color: var(--dim); }
h3.who { margin-bottom: 0.5rem; }
.change { display: block; }
del { color: var(--dim); text-decoration-color: color-mix(in oklab, var(--red) 70%, transparent); text-decoration-thickness: 1px; display: block; }
ins { text-decoration: none; display: block; }
.blame { display: inline-flex; flex-wrap: wrap; align-items: center; gap: 0.2rem 1rem; font-size: var(--small); margin: 0.4rem 0 0; }
.why { font-weight: 650; background: var(--accent-soft); padding: 0.15rem 0.75rem; border-radius: 1rem; text-decoration: none; }
.why:hover { text-decoration: underline; }
.places { columns: 30rem 2; column-gap: 1.4rem; }
.places:has(> :only-child) { columns: auto; }
.place { break-inside: avoid; margin-bottom: 1.4rem; border: 1px solid var(--line); border-radius: 12px; background: var(--raised); padding: 1.1rem 1.3rem; }
.place h3 { margin: 0 0 0.3rem; font-size: var(--large); }
.place-text { font: 1.02rem/1.55 var(--serif); color: var(--dim); max-width: 46rem; }
.entities { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 0 2rem; }
.entity { padding: 0.75rem 0; border-top: 1px solid var(--line); font-size: 0.95rem; }
.entity p { margin: 0 0 0.2rem; }
.entity-agent strong::before { content: "●"; color: var(--accent); font-size: 0.7em; vertical-align: 0.12em; margin-right: 0.45em; }
.goal { color: var(--dim); font-style: italic; }
.memories { margin: 0.2rem 0 0; padding-left: 1.3rem; }
.conversation, .cards { list-style: none; margin: 1.2rem 0 0; padding: 0; }
.message, .card { border: 1px solid var(--line); border-radius: 10px; background: var(--raised); margin-bottom: 1rem; overflow: hidden; }
.message h3, .card h3 { margin: 0; padding: 0.55rem 1.1rem; background: var(--sunk); font-size: var(--small); color: var(--dim); font-weight: 600; }
.message .number { display: inline-block; min-width: 1.4em; text-align: left; }
.role-assistant { border-left: 4px solid var(--accent); }
.said { white-space: pre-wrap; padding: 1rem 1.1rem; font: 0.9rem/1.6 var(--mono); }
.card > pre, .card > p, .card > details { margin: 0.7rem 1.1rem; }
.segment { border-radius: 4px; padding: 0.08em 0.15em; box-decoration-break: clone; -webkit-box-decoration-break: clone; background: color-mix(in oklab, var(--from, var(--dim)) 15%, transparent); }
.origin { font: 600 0.72rem/1 var(--sans); color: var(--ink); background: color-mix(in oklab, var(--from, var(--dim)) 28%, var(--raised)); border-radius: 3px; padding: 0.2em 0.45em; margin-right: 0.45em; white-space: nowrap; }
.from-author, .from-reasoning { --from: var(--dim); }
.from-world-projection { --from: oklch(var(--tone) 145); }
.from-world-recent-events { --from: oklch(var(--tone) 215); }
.from-world { --from: oklch(var(--tone) 120); }
.from-subject-rendered { --from: oklch(var(--tone) 265); }
.from-subject { --from: oklch(var(--tone) 240); }
.from-ambient-visible { --from: oklch(var(--tone) 75); }
.from-tools-available { --from: oklch(var(--tone) 310); }
.from-tool-result { --from: oklch(var(--tone) 335); }
.from-nodes { --from: oklch(var(--tone) 0); }
.from-schema { --from: oklch(var(--tone) 50); }
.from-model { --from: oklch(var(--tone) 180); }
.from-correction { --from: oklch(var(--tone) 25); }
.from-last-lap { --from: oklch(var(--tone) 100); }
.answer pre { border-left: 4px solid var(--accent); background: var(--raised); border-top: 1px solid var(--line); border-right: 1px solid var(--line); border-bottom: 1px solid var(--line); }
.pace button { font: inherit; font-size: var(--small); font-weight: 600; padding: 0.35rem 0.9rem; margin-bottom: 0.6rem; color: var(--accent); background: var(--accent-soft); border: 0; border-radius: 1rem; cursor: pointer; }
.pieces { list-style: none; margin: 0; padding: 0; font: 0.9rem/1.5 var(--mono); }
.pieces li { display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: 1rem; }
.at { color: var(--dim); text-align: right; font-variant-numeric: tabular-nums; }
.piece { white-space: pre-wrap; }
[data-plays] li { display: inline; }
[data-plays] .at { display: none; }
[data-waits] .piece { visibility: hidden; }
.reasoning pre { font-family: var(--serif); font-size: 1rem; font-style: italic; background: none; border-left: 3px dashed var(--line); border-radius: 0; }
.choices { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.4rem; margin: 0 0 1.2rem; }
.choices > div { border-left: 3px solid var(--amber); padding-left: 1rem; }
.choices dt { font-weight: 650; }
.choices dd { margin: 0.2rem 0 0; color: var(--dim); }
.decisions { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.4rem; align-items: start; }
.decision { border: 1px solid var(--line); border-radius: 12px; background: var(--raised); padding: 1.1rem 1.3rem 1.3rem; }
.decision h3 { margin: 0 0 0.3rem; font-size: var(--large); }
.decision > p { color: var(--dim); max-width: 40rem; }
.decision form { display: flex; flex-wrap: wrap; align-items: end; gap: 0.8rem 1rem; }
.field { flex: 1 1 100%; margin: 0; }
.field-whole { flex: 0 1 6.5rem; }
.field-whole + .field-line { flex: 1 1 12rem; }
.field label { display: block; font-size: var(--small); font-weight: 600; margin-bottom: 0.25rem; }
.field select { min-height: 2.95rem; }
.field textarea { font-family: var(--mono); font-size: 0.9rem; resize: vertical; }
.search { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.6rem 1rem; margin-top: 1.2rem; align-items: end; }
.filters { grid-area: 2 / 1 / auto / -1; }
.filters > div { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 9.5rem), 1fr)); gap: 0.8rem 1rem; margin-top: 0.5rem; }
.search button { min-height: 2.95rem; }
mark { color: inherit; background: color-mix(in oklab, var(--amber) 30%, transparent); border-radius: 3px; padding: 0.05em 0.15em; }
td.sentence { min-width: min(13rem, 66vw); max-width: 34rem; white-space: normal; overflow-wrap: anywhere; }
@media screen and (max-width: 60rem) {
  table { font-size: 0.86rem; }
  th, td, :is(th, td).number:not(:last-child) { padding-right: 0.7rem; }
}
@media screen and (max-width: 40rem) {
  .scroll:has(> table) { overflow: visible; background: none; }
  thead { display: none; }
  table, tbody { display: block; }
  tr { display: flex; flex-wrap: wrap; gap: 0.1rem 1.2rem; padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  td, td.sentence { display: block; min-width: 0; max-width: 100%; padding: 0; border: 0; white-space: normal; overflow-wrap: anywhere; }
  td.sentence, td:first-child:not(.number) { flex-basis: 100%; }
  td:empty { display: none; }
  :is(th, td).number, :is(th, td).number:not(:last-child) { width: auto; padding: 0; text-align: left; }
  td::before { content: attr(data-title) " "; color: var(--dim); font-size: var(--small); }
  td:first-child:not(.number)::before { content: none; }
}
@media (max-width: 48rem) { .turn { display: block; } .turn > header { margin-bottom: 0.6rem; } .turn > header p { margin-bottom: 0.4rem; } }
`;
