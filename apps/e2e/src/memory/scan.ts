// A program of its own: looks for the needles of a file in a process, or in a file of what was a memory.
//   scan.ts NEEDLES pid PID | scan.ts NEEDLES file PATH
import { readFileSync } from 'node:fs';
import { readNeedles } from './needle-file.ts';
import { NeedleFinder } from './needles.ts';
import { readProcess } from './process-memory.ts';

const [needles = '', kind, where = ''] = process.argv.slice(2);
const finder = new NeedleFinder(readNeedles(needles));
let bytes: number;
if (kind === 'pid') ({ bytes } = readProcess(Number(where), finder));
else {
  const content = readFileSync(where);
  finder.look(content, 0);
  bytes = content.length;
}
process.stdout.write(JSON.stringify({ bytes, found: finder.found }));
