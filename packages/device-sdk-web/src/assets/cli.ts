/** `svc-device-assets OUT [--engine ID] [--passive-model NAME] [--no-add-ons]` */
import { parseArgs } from 'node:util';
import { passiveModelNames } from '@svc/face-engine';
import { buildDeviceAssets } from './build-device-assets.ts';

const passiveModels = [...passiveModelNames, 'none'] as const;
const usage = `usage: svc-device-assets OUT [--engine ID] [--passive-model ${passiveModels.join('|')}] [--no-add-ons]`;

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: 'string' },
      'passive-model': { type: 'string' },
      'no-add-ons': { type: 'boolean' },
    },
  });
  const [directory, ...more] = positionals;
  const named = values['passive-model'];
  const passive = passiveModels.find((name) => name === named);
  const isUnknown = named !== undefined && passive === undefined;
  if (directory === undefined || more.length > 0 || isUnknown) throw new Error(usage);
  const withoutAddOns = values['no-add-ons'] === true;
  const { files, engineId, passiveModel } = await buildDeviceAssets({
    directory,
    ...(values.engine === undefined ? {} : { engineId: values.engine }),
    ...(passive === undefined ? {} : { passiveModel: passive === 'none' ? null : passive }),
    ...(withoutAddOns ? { addOnDirectory: null } : {}),
  });
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20;
  const models = passiveModel === null ? 'without passive models' : `with the passive models of ${passiveModel}`;
  process.stdout.write(`${directory}: ${files.length} files, ${megabytes.toFixed(1)} MiB, ${engineId}, ${models}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
