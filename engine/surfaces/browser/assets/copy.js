/**
 * The script of the buttons that copy. A button names the place of its value in the JSON of the page, so that what is
 * copied is whole and exact, whatever the page shows of it. Without it there are no such buttons.
 */
'use strict';

(() => {
  const SAID_MS = 2000;
  document.documentElement.classList.add('scripted');

  const read = async (pointer) => {
    const url = new URL(location.href);
    url.searchParams.set('format', 'json');
    const answer = await fetch(url, { headers: { accept: 'application/json' } });
    let value = await answer.json();
    for (const name of pointer.split('/').slice(1)) value = value[name];
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  };

  /** Over plain HTTP, browsers have no clipboard for scripts but the command of old. */
  const write = async (text) => {
    if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    if (!isCopied) throw new Error('the browser refuses to copy');
  };

  const copy = async (button) => {
    const say = (text) => (button.textContent = text);
    try {
      await write(await read(button.dataset.copy));
      say('Copied');
    } catch {
      say('Not copied');
    }
    setTimeout(() => say('Copy'), SAID_MS);
  };

  document.addEventListener('click', ({ target }) => {
    const button = target.closest('[data-copy]');
    if (button !== null) void copy(button);
  });
})();
