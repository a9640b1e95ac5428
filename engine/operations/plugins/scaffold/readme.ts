import type { Names } from './names.js';

/** `README.md` */
export function readme({ name, variable, package_name }: Names): string {
  return `# ${name}

Asks a service by GET, with the members of the request as its query, and takes JSON back.

A source that uses it:

\`\`\`json
{
  "version": 1,
  "label": "my_service",
  "interface": { "name": "${name}", "url_env": "${variable}", "path": "/answers" }
}
\`\`\`

| member    | meaning                                                              |
| --------- | -------------------------------------------------------------------- |
| \`url_env\` | the environment variable in which the operator says where the service is |
| \`path\`    | is added to that URL                                                 |

| file                    | holds                                                                   |
| ----------------------- | ----------------------------------------------------------------------- |
| \`plugin.json\`           | the name, and what the plugin is to be handed                           |
| \`interface.schema.json\` | what a source may say under \`interface\`                                 |
| \`request.js\`            | what to ask, as a pure function                                         |
| \`answer.js\`             | what an answer means, as a pure function                                |
| \`index.js\`              | joins the two through what it is handed                                 |
| \`conformance.json\`      | examples that \`chukwa plugin test\` plays, and makes hostile servers from |

\`\`\`sh
node --test               # in this folder
npx chukwa plugin test .  # against every rule for plugins
\`\`\`

The folder is found in \`plugins/\`, in a folder that \`CHUKWA_PLUGIN_PATH\` names, or installed as the package
\`${package_name}\`.
`;
}
