import { join } from 'node:path';
import { enginesIn, type ModelEntry, type ModelManifest, passiveModelIn, versionsOf } from '@svc/face-models';
import {
  type AddOnName,
  addOnNames,
  addOns,
  defaultAddOnDirectory,
  installAddOn,
  isAddress,
  openModelBundle,
} from '@svc/face-models/node';
import { Argument, type Command } from 'commander';
import { CliError, exitCodes } from '../cli-error.ts';
import { print, printJson, remark, table } from '../output.ts';
import { fromInvocation } from '../paths.ts';

/** All recommended add-ons; currently these are all add-ons. */
const recommended = 'recommended';

async function listModels(options: { json?: true }): Promise<void> {
  const { manifest } = await openModelBundle();
  const models = Object.values(manifest.models).filter((entry): entry is ModelEntry => entry !== undefined);
  const [preferred] = enginesIn(manifest);
  if (options.json) {
    printJson({
      engines: (manifest.engines ?? []).map((recipe) => ({
        ...recipe,
        installed: enginesIn(manifest).includes(recipe),
      })),
      defaultEngineId: preferred?.engineId ?? null,
      addOnDirectory: defaultAddOnDirectory(),
      addOns: addOns.map(({ name, purpose }) => ({ name, purpose, installed: isInstalled(manifest, name) })),
      passiveLiveness: passiveModelIn(manifest),
      models,
    });
    return;
  }
  for (const recipe of manifest.engines ?? []) {
    const state = recipe === preferred ? ' (default)' : enginesIn(manifest).includes(recipe) ? '' : ' (not installed)';
    for (const { engineId, modelId, matchThreshold } of versionsOf(recipe)) {
      const which = engineId === recipe.engineId ? state : ` (former version of ${recipe.engineId})`;
      print(`engine  ${engineId}, ${modelId}, threshold ${matchThreshold}${which}`);
    }
  }
  const rows = models.map((entry) => [
    entry.name,
    `${(entry.bytes / 1e6).toFixed(2)} MB`,
    entry.sha256.slice(0, 12),
    entry.licence,
    entry.origin,
  ]);
  print(table([['model', 'size', 'sha256', 'licence', 'origin'], ...rows]));
  print(`passive liveness: ${passiveModelIn(manifest) ?? 'not installed (svc models add minifasnet)'}`);
  for (const { name, purpose } of addOns) {
    print(`add-on  ${name} (${purpose}): ${isInstalled(manifest, name) ? 'installed' : `svc models add ${name}`}`);
  }
}

/** Whether every model of an add-on is installed. */
const isInstalled = ({ models }: ModelManifest, name: AddOnName): boolean =>
  addOns.some((addOn) => addOn.name === name && addOn.models.every((model) => models[model] !== undefined));

/**
 * Installs each add-on even if another one fails. @throws CliError if one failed, and for a release's own folder: its
 * kiosk contains the models that it was packed with
 */
async function addModels(wanted: AddOnName | typeof recommended, options: { from?: string }): Promise<void> {
  const { SVC_RELEASE: release } = process.env;
  if (release !== undefined && defaultAddOnDirectory() === join(release, 'models'))
    throw new CliError(
      'a release contains its add-ons and cannot be changed: add them in the clone that packs it (docs/operate/deployment.md)',
      exitCodes.environment,
    );
  const { from: given } = options;
  const from = given === undefined ? {} : { from: isAddress(given) ? given : fromInvocation(given) };
  const failed: { readonly name: AddOnName; readonly cause: unknown }[] = [];
  for (const name of wanted === recommended ? addOnNames : [wanted]) {
    try {
      const { directory, models } = await installAddOn(name, from);
      for (const model of models) print(model);
      remark(`installed in ${directory}`);
    } catch (cause) {
      failed.push({ name, cause });
    }
  }
  const [first] = failed;
  if (first === undefined) return;
  if (wanted !== recommended) throw first.cause;
  const why = failed
    .map(({ name, cause }) => `${name}: ${cause instanceof Error ? cause.message : 'failed'}`)
    .join('; ');
  throw new CliError(`not installed: ${why}`, exitCodes.environment, { cause: first.cause });
}

export function registerModels(program: Command): void {
  const models = program.command('models').description('Models that the engine runs.');
  models
    .command('list')
    .description('Lists the engines, the installed models and add-ons, and what is missing.')
    .option('--json', 'print JSON')
    .action(listModels);
  models
    .command('add')
    .summary('install add-on models')
    .description(
      'Compiles the published weights of an add-on and installs them for the service, the SDK, the kiosk’s build and this command line, in $SVC_MODELS_DIR or the data folder of the user.',
    )
    .addArgument(new Argument('<add-on>', 'add-on to install').choices([...addOnNames, recommended]))
    .option(
      '--from <place>',
      'folder or http(s) address of a mirror of the published files; default: their authors’ addresses. They are pinned by digest',
    )
    .action(addModels);
}
