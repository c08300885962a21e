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

export async function openEngine(options: NodeFaceEngineOptions): Promise<OpenEngine> {
  const node = await createNodeFaceEngine(options);
  const close = () => {
    node.passiveLiveness?.dispose();
    node.engine.dispose();
    node.runtime.dispose();
  };
  return { ...node, close };
}
