/** An exported file shows one page at a time: the target of the link that was followed, else the first. */
export const EXPORT = `
.leaf { scroll-margin-top: 6rem; }
a:not([href]) { color: inherit; text-decoration: none; }
@media screen {
  .leaf + .leaf { border-top: 1px solid var(--line); margin-top: 4rem; padding-top: 2rem; }
  @supports selector(:has(a)) {
    .leaf { display: none; }
    .leaf:target, .leaf:has(:target), main:not(:has(:target)) > .leaf:first-child { display: block; }
    .leaf + .leaf { border: 0; margin: 0; padding: 0; }
  }
}
`;
