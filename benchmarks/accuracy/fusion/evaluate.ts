import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { temporaryAddOn } from '../../inputs/temporary-add-on.ts';
import { replaceSection } from '../../statistics/markdown.ts';
import { measureFusion } from './measure.ts';
import { fusionMarkdown } from './report.ts';

/**
 * What the mean of several frames does to errors at the door: for each engine that is at hand, in good and in poor light. The same people give the
 * same figures. Some six seconds a person.
 *
 * Usage: evaluate.ts [--people 90] [--out ../docs/liveness.md]
 */
const { values } = parseArgs({ options: { people: { type: 'string', default: '90' }, out: { type: 'string' } } });

const addOn = await temporaryAddOn(['face-reidentification-retail-0095']);
if (addOn === null) process.stderr.write('face-reidentification-retail-0095: skipped: no ../shared\n');
try {
  const { engine, runtime } = await createNodeFaceEngine({
    addOnDirectory: addOn?.directory ?? null,
    passiveModel: null,
  });
  const figures = await measureFusion(engine, Number(values.people), (done) =>
    process.stderr.write(`${done} of ${values.people} people\n`),
  );
  engine.dispose();
  runtime.dispose();
  const markdown = fusionMarkdown(figures);
  if (values.out === undefined) console.log(markdown);
  else await writeFile(values.out, replaceSection(await readFile(values.out, 'utf8'), 'fusion', markdown));
} finally {
  await addOn?.remove();
}
