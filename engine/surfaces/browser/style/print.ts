/** On paper: no navigation and no forms, everything opened, pictures as wide as the page. */
export const PRINT = `
@media print {
  :root { --paper: #fff; --raised: #fff; --sunk: #f4f2ec; font-size: 85%; }
  .top, footer, .contents, .skip, .decisions, .pace button { display: none; }
  main { max-width: none; padding: 0; }
  a { color: inherit; text-decoration-color: var(--line); }
  details::details-content { display: block; content-visibility: visible; block-size: auto; }
  summary { list-style: none; }
  .scroll { overflow: visible; background: none; }
  .picture svg { min-width: 0; max-width: 100%; height: auto; }
  table { font-size: 0.8rem; }
  td, td.sentence, td :is(a, time, code, .status) { white-space: normal; overflow-wrap: anywhere; }
  h1, h2, h3 { break-after: avoid; }
  tr, svg, .patch, .card, .effect, .plot { break-inside: avoid; }
  .leaf + .leaf { break-before: page; border: 0; margin: 0; padding: 0; }
}
`;
