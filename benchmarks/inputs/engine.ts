import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CoreKind, loadCore } from '@svc/core';
import { createCoreRuntime, createFaceEngine, openPassiveLiveness } from '@svc/face-engine';
import {
  createNodeFaceEngine,
  createTfjsTfliteNodeRuntime,
  type NodeFaceEngine,
  type NodeFaceEngineOptions,
} from '@svc/face-engine/node';
import type { ModelBundle } from '@svc/face-models';
import { type AddOnName, installAddOn } from '@svc/face-models/node';
import { floatBundle } from '@svc/face-models/testing';
import { sharedData } from './shared-data.ts';

/** The add-on, installed into a temporary folder for a run. */
export interface TemporaryAddOn {
  readonly directory: string;
  remove(): Promise<void>;
}

/** Installs add-ons into a temporary folder; null if the weights of one are missing. */
export async function temporaryAddOn(names: readonly AddOnName[] = ['minifasnet']): Promise<TemporaryAddOn | null> {
  const published = sharedData('models');
  if (published === null || names.some((name) => sharedData('models', name) === null)) return null;
  const directory = await mkdtemp(join(tmpdir(), 'svc-add-on-'));
  for (const name of names) await installAddOn(name, { from: published, addOnDirectory: directory });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

/**
 * Options for an engine or page with MiniFASNet as its only passive check, or with none if it is not installed.
 *
 * @param addOnDirectory folder of the installed add-on; null if there is none
 */
export const withMiniFasNet = (addOnDirectory: string | null) =>
  ({ addOnDirectory, passiveModel: addOnDirectory === null ? null : 'minifasnet' }) as const;

/** An engine, and a function that disposes it with its passive check and its runtime. */
export interface OpenEngine extends NodeFaceEngine {
  close(): void;
}

export const openEngine = async (options: NodeFaceEngineOptions): Promise<OpenEngine> =>
  closing(await createNodeFaceEngine(options));

function closing(node: NodeFaceEngine): OpenEngine {
  const close = () => {
    node.passiveLiveness?.dispose();
    node.engine.dispose();
    node.runtime.dispose();
  };
  return { ...node, close };
}

/** An engine of these networks. Default: the bundle's preferred one, on the core's build for this machine. */
export async function openEngineOf(
  bundle: ModelBundle,
  { kind, engineId }: { readonly kind?: CoreKind | undefined; readonly engineId?: string } = {},
): Promise<OpenEngine> {
  const core = await loadCore(kind === undefined ? {} : { kind });
  const runtime = createCoreRuntime(core, () => createTfjsTfliteNodeRuntime(core.kind));
  const passiveLiveness = await openPassiveLiveness({ runtime, bundle });
  const engine = await createFaceEngine({ core, runtime, bundle, ...(engineId === undefined ? {} : { engineId }) });
  return closing({ engine, passiveLiveness, runtime, bundle });
}

/** All networks in floats, of which those in integers are made: what their speed and accuracy are compared with. */
export const floatNetworks = (): Promise<ModelBundle> => floatBundle(sharedData('models'));
