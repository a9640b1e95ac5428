/**
 * The script that replays a generation at the model's pace. It adds a button that shows each piece at its time, and
 * makes no markup of stored text. Without it, and for readers who prefer reduced motion, the page shows the whole text
 * with its times.
 */
'use strict';

(() => {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const prepare = () => {
    for (const pace of document.querySelectorAll('[data-pace]'))
      if (pace.querySelector('button') === null) addButton(pace);
  };
  const addButton = (pace) => {
    const pieces = [...pace.querySelectorAll('[data-at]')];
    const button = document.createElement('button');
    button.type = 'button';
    pace.prepend(button);
    let timers = [];

    const stop = () => {
      for (const timer of timers) clearTimeout(timer);
      timers = [];
      delete pace.dataset.plays;
      for (const piece of pieces) delete piece.dataset.waits;
      button.textContent = 'Play at its pace';
    };
    const play = () => {
      button.textContent = 'Show all of it';
      pace.dataset.plays = '';
      for (const piece of pieces) piece.dataset.waits = '';
      timers = pieces.map((piece) => setTimeout(() => delete piece.dataset.waits, Number(piece.dataset.at)));
      timers.push(setTimeout(stop, Number(pace.dataset.pace)));
    };
    button.addEventListener('click', () => (timers.length > 0 ? stop() : play()));
    stop();
  };
  document.addEventListener('fresh', prepare);
  prepare();
})();
