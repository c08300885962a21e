// `node scripts/tool.mjs NAME …`: runs a tool of tooling/package.json that needs a newer Node than the project, in this
// folder: under the present Node where that is new enough, or else under one out of npm's registry.
import { join } from 'node:path';
import { installNode, NODE_LINES } from './lib/node-lines.mjs';
import { become, root, script } from './lib/setup.mjs';

script(() => {
  const [tool, ...args] = process.argv.slice(2);
  const isNew = Number(process.versions.node.split('.')[0]) >= 22;
  const env = isNew ? {} : { PATH: `${installNode(NODE_LINES.at(-1))}:${process.env.PATH}` };
  become(join(root, 'node_modules', '.bin', tool), args, { cwd: process.cwd(), env });
});
