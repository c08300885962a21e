import { type CanonicalFace, parseCanonicalFace } from './canonical.ts';

const assets = '@mediapipe/face_mesh/face_mesh_solution_packed_assets';
const entry = 'geometry_pipeline_metadata_landmarks.binarypb';

let loaded: CanonicalFace | null = null;

/** Hands over the canonical face where there is no file system to read it from; Node reads it from the dependency by itself. */
export function useCanonicalFace(face: CanonicalFace): void {
  loaded = face;
}

/**
 * The canonical face out of the packed assets of `@mediapipe/face_mesh`, read once.
 *
 * @throws Error when nothing was handed over and this is not Node, or the dependency's assets lack the entry.
 */
export function canonicalFace(): CanonicalFace {
  loaded ??= readFromDependency();
  return loaded;
}

function readFromDependency(): CanonicalFace {
  // Looked up at run time so that a bundle for the browser does not pull in Node's modules.
  const builtin = (globalThis as { process?: { getBuiltinModule?: typeof process.getBuiltinModule } }).process;
  const fs = builtin?.getBuiltinModule?.('node:fs');
  const module = builtin?.getBuiltinModule?.('node:module');
  if (!fs || !module) throw new Error('canonical face: hand it over with useCanonicalFace() outside Node');
  const resolve = module.createRequire(import.meta.url).resolve;
  const loader = fs.readFileSync(resolve(`${assets}_loader.js`), 'utf8');
  const span = new RegExp(`${entry.replaceAll('.', '\\.')}", "start": (\\d+), "end": (\\d+)`).exec(loader);
  if (!span) throw new Error('canonical face: not in the packed assets');
  const data = fs.readFileSync(resolve(`${assets}.data`));
  return parseCanonicalFace(data.subarray(Number(span[1]), Number(span[2])));
}
