import { answerModule, entryModule, requestModule } from './modules.js';
import { conformance, interfaceSchema, manifest, packageManifest } from './documents.js';
import { readme } from './readme.js';
import { testModule } from './test-module.js';
import { namesOf } from './names.js';

export { NAME_PATTERN } from './names.js';

/** A file to be written. */
export interface ScaffoldFile {
  /** Relative to the plugin's folder, with `/` between names. */
  readonly path: string;
  readonly text: string;
}

/** Every file of a small plugin of that name, complete and working: a service that is asked by GET and answers with JSON. */
export function scaffold(name: string): readonly ScaffoldFile[] {
  const names = namesOf(name);
  return [
    { path: 'plugin.json', text: toText(manifest(names)) },
    { path: 'interface.schema.json', text: toText(interfaceSchema(names)) },
    { path: 'request.js', text: requestModule },
    { path: 'answer.js', text: answerModule },
    { path: 'index.js', text: entryModule },
    { path: 'conformance.json', text: toText(conformance(names)) },
    { path: `test/${name}.test.js`, text: testModule(names) },
    { path: 'package.json', text: toText(packageManifest(names)) },
    { path: 'README.md', text: readme(names) },
  ];
}

/** Lists of nothing but texts stand in one line, as formatters would have them. */
function toText(document: unknown): string {
  const text = JSON.stringify(document, null, 2);
  const listed = text.replaceAll(
    /\[\s+("[^"]*"(?:,\s+"[^"]*")*)\s+\]/g,
    (_, items: string) => `[${items.replaceAll(/\s+/g, ' ')}]`,
  );
  return `${listed}\n`;
}
