import { defaultPassiveModel, type ModelEntry, type ModelManifest, passiveModelsIn } from '@svc/face-models';
import { defaultAddOnDirectory, installMiniFasNet, openModelBundle } from '@svc/face-models/node';
import { Argument, type Command } from 'commander';
import { print, printJson, remark, table } from '../output.ts';
import { fromInvocation } from '../paths.ts';

const addOns = ['minifasnet'] as const;

/** Which passive check is made, and which others can be named. */
function describePassive(manifest: ModelManifest): string {
  const byDefault = defaultPassiveModel(manifest);
  const others = passiveModelsIn(manifest).filter((name) => name !== byDefault);
  const byName = others.length === 0 ? '' : `; by name: ${others.join(', ')}`;
  if (byDefault === null && others.length === 0) return 'not installed (svc models add minifasnet)';
  return `${byDefault ?? 'none by default'}${byName}`;
}

async function listModels(options: { json?: true }): Promise<void> {
  const { manifest } = await openModelBundle();
  const models = Object.values(manifest.models).filter((entry): entry is ModelEntry => entry !== undefined);
  if (options.json)
    return printJson({
      engine: manifest.engine,
      engines: manifest.engines,
      addOnDirectory: defaultAddOnDirectory(),
      passiveLiveness: { default: defaultPassiveModel(manifest), models: passiveModelsIn(manifest) },
      models,
    });
  for (const { engineId, matchThreshold } of manifest.engines ?? [manifest.engine]) {
    const mark = engineId === manifest.engine.engineId ? ' (default)' : '';
    print(`engine  ${engineId}, threshold ${matchThreshold}${mark}`);
  }
  const rows = models.map((entry) => [
    entry.name,
    `${(entry.bytes / 1e6).toFixed(2)} MB`,
    entry.sha256.slice(0, 12),
    entry.licence,
    entry.origin,
  ]);
  print(table([['model', 'size', 'sha256', 'licence', 'origin'], ...rows]));
  print(`passive liveness: ${describePassive(manifest)}`);
}

export function registerModels(program: Command): void {
  const models = program.command('models').description('Models that the engine runs.');
  models
    .command('list')
    .description('Lists the models that are there.')
    .option('--json', 'print JSON')
    .action(listModels);
  models
    .command('add')
    .summary('install an add-on model')
    .description(
      'Compiles the published weights of an add-on and installs them for the SDK, the kiosk’s build and this command line, in $SVC_MODELS_DIR or the data folder of the user.',
    )
    .addArgument(new Argument('<add-on>', 'which one').choices(addOns))
    .option('--from <folder>', "folder that holds upstream's files; without it they are fetched, pinned by SHA-256")
    .action(async (_addOn: string, options: { from?: string }) => {
      const { from } = options;
      const installed = await installMiniFasNet(from === undefined ? {} : { from: fromInvocation(from) });
      for (const model of installed.models) print(model);
      remark(`installed in ${installed.directory}`);
    });
}
