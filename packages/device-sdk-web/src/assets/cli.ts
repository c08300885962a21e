/** `svc-device-assets OUT [--native] [--engine ID …] [--passive-model NAME] [--no-add-ons]` */
import { parseArgs } from 'node:util';
import { buildDeviceAssets, parsePassiveModel, passiveChoices } from './build-device-assets.ts';

const usage = `usage: svc-device-assets OUT [--native] [--engine ID …] [--passive-model ${passiveChoices.join('|')}] [--no-add-ons]`;

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: 'string', multiple: true },
      'passive-model': { type: 'string' },
      'no-add-ons': { type: 'boolean' },
      native: { type: 'boolean' },
    },
  });
  const [directory, ...more] = positionals;
  const named = values['passive-model'];
  if (directory === undefined || more.length > 0) throw new Error(usage);
  const withoutAddOns = values['no-add-ons'] === true;
  const { files, engineIds, passiveModel } = await buildDeviceAssets({
    directory,
    native: values.native === true,
    ...(values.engine === undefined ? {} : { engineIds: values.engine }),
    ...(named === undefined ? {} : { passiveModel: parsePassiveModel(named) }),
    ...(withoutAddOns ? { addOnDirectory: null } : {}),
  });
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20;
  const models = passiveModel === null ? 'without passive models' : `with the passive models of ${passiveModel}`;
  process.stdout.write(
    `${directory}: ${files.length} files, ${megabytes.toFixed(1)} MiB, ${engineIds.join(' and ')}, ${models}\n`,
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
