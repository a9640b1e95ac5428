import { sha256 } from '../../core/content/sha256.js';

/**
 * The script of a page that shows how a model spoke. It adds a button that shows each piece when it came; it makes no
 * markup of what was stored. Without it, and for whoever wants less motion, the whole text stands there, with its times.
 */
export const REPLAY_SCRIPT = `'use strict';
(() => {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const replay of document.querySelectorAll('[data-replay]')) {
    const pieces = [...replay.querySelectorAll('[data-at]')];
    const button = document.createElement('button');
    button.type = 'button';
    replay.prepend(button);
    let timers = [];

    const stop = () => {
      for (const timer of timers) clearTimeout(timer);
      timers = [];
      delete replay.dataset.plays;
      for (const piece of pieces) delete piece.dataset.waits;
      button.textContent = 'Replay at its pace';
    };
    const play = () => {
      button.textContent = 'Show all of it';
      replay.dataset.plays = '';
      for (const piece of pieces) piece.dataset.waits = '';
      timers = pieces.map((piece) => setTimeout(() => delete piece.dataset.waits, Number(piece.dataset.at)));
      timers.push(setTimeout(stop, Number(replay.dataset.replay)));
    };
    button.addEventListener('click', () => (timers.length > 0 ? stop() : play()));
    stop();
  }
})();
`;

/** Where it is: its digest makes a browser that has another version ask anew. */
export const REPLAY_SCRIPT_PATH = `/replay.js?v=${sha256(REPLAY_SCRIPT).slice(0, 12)}`;
