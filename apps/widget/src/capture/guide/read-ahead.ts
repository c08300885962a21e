import type { ModelBundle, ModelName } from '@svc/face-models';

/** A bundle whose models are on their way before they are asked for: over a slow network all come at the same time. */
export function readAhead(bundle: ModelBundle, names: readonly ModelName[]): ModelBundle {
  const coming = new Map(names.map((name) => [name, bundle.read(name)]));
  // Whoever asks hears of it.
  for (const read of coming.values()) read.catch(() => undefined);
  return { ...bundle, read: (name) => coming.get(name) ?? bundle.read(name) };
}
