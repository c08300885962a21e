import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeFaceEngine, type NodeFaceEngine, type NodeFaceEngineOptions } from '@svc/face-engine/node';
import { type AddOnName, installAddOn } from '@svc/face-models/node';
import { sharedData } from './shared-data.ts';

/** The add-on, installed into a temporary folder for a run. */
export interface TemporaryAddOn {
  readonly directory: string;
  remove(): Promise<void>;
}

/** Installs add-ons into a temporary folder; null where the weights of one are not at hand. */
export async function temporaryAddOn(names: readonly AddOnName[] = ['minifasnet']): Promise<TemporaryAddOn | null> {
  const published = sharedData('models');
  if (published === null || names.some((name) => sharedData('models', name) === null)) return null;
  const directory = await mkdtemp(join(tmpdir(), 'svc-add-on-'));
  for (const name of names) await installAddOn(name, { from: published, addOnDirectory: directory });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

/**
 * What makes an engine or a page have MiniFASNet alone, whatever serves by default, where it is at hand; and no passive
 * check elsewhere.
 *
 * @param addOnDirectory where it was installed; null where it is not at hand
 */
export const withMiniFasNet = (addOnDirectory: string | null) =>
  ({ addOnDirectory, passiveModel: addOnDirectory === null ? null : 'minifasnet' }) as const;

/** An engine, and what frees it with its passive check and its runtime. */
export interface OpenEngine extends NodeFaceEngine {
  close(): void;
}

export async function openEngine(options: NodeFaceEngineOptions): Promise<OpenEngine> {
  const node = await createNodeFaceEngine(options);
  const close = () => {
    node.passiveLiveness?.dispose();
    node.engine.dispose();
    node.runtime.dispose();
  };
  return { ...node, close };
}
