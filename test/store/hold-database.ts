import { makeWorld } from './record-fixtures.js';
import { openStore } from '../../engine/store/open-store.js';

// A process of its own that opens the database of a folder, makes a world in it, says so, and waits to be killed.
const [data_dir = '', migrations_dir = '', template_file = ''] = process.argv.slice(2);
const store = await openStore({ data_dir, migrations_dir, template_file });
if (store.ok) await makeWorld(store.value, 'made-elsewhere');
process.stdout.write(store.ok ? 'open\n' : `${store.problems[0]?.code}\n`);
setInterval(() => {}, 1000);
