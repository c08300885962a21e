/** `npm run evaluate:NAME -- …`: measures, and prints what was found or writes it into the page that `--out` names. */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { AddOnName } from '@svc/face-models/node';
import { type OpenEngine, openEngine, temporaryAddOn } from '../inputs/engine.ts';
import { replaceSection } from './markdown.ts';

/** One command: which engine it measures, with which options, and its report. */
export interface Evaluation {
  /** Options and their defaults, in the order in which they may also stand without a name. */
  readonly options: Readonly<Record<string, string>>;
  /** Add-ons of the engine. */
  readonly addOns: readonly AddOnName[];
  /** Whether nothing can be measured without them. */
  readonly needsAddOns?: true;
  /** Section of the page, if the report is one. */
  readonly section?: string;
  run(node: OpenEngine, options: Readonly<Record<string, string>>): Promise<Report>;
}

export interface Report {
  readonly markdown: string;
  /** Whether a bar was missed. */
  readonly isMissed?: boolean;
}

const evaluations: Readonly<Record<string, () => Promise<{ readonly evaluation: Evaluation }>>> = {
  bits: () => import('./bits.ts'),
  evidence: () => import('./liveness/evaluate-evidence.ts'),
  integers: () => import('./integers.ts'),
  light: () => import('./light/evaluate.ts'),
  liveness: () => import('./liveness/evaluate.ts'),
  'photo-check': () => import('./liveness/evaluate-photo-check.ts'),
  versions: () => import('./recognition/versions.ts'),
  visits: () => import('./recognition/visits.ts'),
};

async function main(name = '', args: string[]): Promise<void> {
  const load = evaluations[name];
  if (load === undefined) throw new RangeError(`there are ${Object.keys(evaluations).join(', ')}`);
  const { options, addOns, needsAddOns, section, run } = (await load()).evaluation;
  const names = Object.keys(options);
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: Object.fromEntries([...names, 'out'].map((option) => [option, { type: 'string' as const }])),
  });
  const given = Object.fromEntries(positionals.map((value, i) => [names[i] ?? '', value]));
  const { out, ...named } = values as Record<string, string>;

  const addOn = addOns.length === 0 ? null : await temporaryAddOn(addOns);
  if (addOn === null && addOns.length > 0) console.error(`${addOns.join(', ')}: skipped: no ../shared`);
  if (addOn === null && needsAddOns) return;
  const passiveModel = addOn !== null && addOns.includes('minifasnet') ? 'minifasnet' : null;
  const node = await openEngine({ addOnDirectory: addOn?.directory ?? null, passiveModel });
  try {
    const { markdown, isMissed = false } = await run(node, { ...options, ...given, ...named });
    if (out === undefined || section === undefined) console.log(markdown);
    else await writeFile(out, replaceSection(await readFile(out, 'utf8'), section, markdown));
    if (isMissed) process.exitCode = 1;
  } finally {
    node.close();
    await addOn?.remove();
  }
}

await main(process.argv[2], process.argv.slice(3));
