/** `svc-device-assets OUT [--engine ID] [--no-add-ons]` */
import { parseArgs } from 'node:util';
import { buildDeviceAssets } from './build-device-assets.ts';

const usage = 'usage: svc-device-assets OUT [--engine ID] [--no-add-ons]';

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { engine: { type: 'string' }, 'no-add-ons': { type: 'boolean' } },
  });
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0) throw new Error(usage);
  const withoutAddOns = values['no-add-ons'] === true;
  const { files, engineId, passive } = await buildDeviceAssets({
    directory,
    ...(values.engine === undefined ? {} : { engineId: values.engine }),
    ...(withoutAddOns ? { addOnDirectory: null } : {}),
  });
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20;
  const models = passive ? 'with the passive models' : 'without passive models';
  process.stdout.write(`${directory}: ${files.length} files, ${megabytes.toFixed(1)} MiB, ${engineId}, ${models}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
