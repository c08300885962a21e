import { loadCore } from '@svc/core';
import type { EnrolReason, EnrolResult } from '@svc/face-engine';
import { faceAnalysis } from '@svc/face-engine/testing';
import { type EngineRecipe, engineRecipes, recipeFor } from '@svc/face-models';
import { IMAGE_TYPE_BYTES, imageTypeOf, photoRefusals } from '@svc/protocol';
import { decodePhoto } from '../inference/decode-photo.ts';
import type { SealPhotoParts } from '../inference/seal-photo.ts';

const core = await loadCore();
/** What only the service refuses a photo for. */
const notOfEngine = ['image-invalid', 'photo-not-live'];

const isRefusal = (text: string): text is EnrolReason =>
  photoRefusals.some((reason) => reason === text) && !notOfEngine.includes(text);

/** All created buffers, to check afterwards that they were wiped. */
export interface Traces {
  readonly pixels: Uint8Array[];
  readonly templates: Float32Array[];
}

/** Templates with equal elements; another person's have alternating signs. */
function fakeTemplate({ dimension }: EngineRecipe, isAnother: boolean): Float32Array {
  return new Float32Array(dimension).map((_, i) => (isAnother && i % 2 === 1 ? -1 : 1) / Math.sqrt(dimension));
}

/**
 * An engine whose result is the photo's text: an error code; “broken” for no image, as for real files of pictures; “a print” for a picture of a
 * picture; “another person”; any other text for one and the same person. Only for tests around the engine.
 */
export function fakeEngine(
  recipes: readonly EngineRecipe[] = engineRecipes,
): Pick<SealPhotoParts, 'engine' | 'decode' | 'looksLive'> & { traces: Traces } {
  const traces: Traces = { pixels: [], templates: [] };
  return {
    traces,
    async decode(photo) {
      const isFile = photo.length >= IMAGE_TYPE_BYTES && imageTypeOf(photo) !== null;
      if (isFile || Buffer.from(photo).toString('latin1') === 'broken') return decodePhoto(photo);
      const data = photo.slice();
      traces.pixels.push(data);
      return { data, width: data.length, height: 1, channels: 3 };
    },
    looksLive: ({ data }) => Promise.resolve(Buffer.from(data).toString('latin1') !== 'a print'),
    engine: {
      core,
      recipes,
      enrol(image, { engineId } = {}): Promise<EnrolResult> {
        const recipe = recipeFor(recipes, engineId ?? '');
        if (recipe === undefined) return Promise.reject(new Error('there is no such engine'));
        const text = Buffer.from(image.data.buffer, image.data.byteOffset, image.data.length).toString('latin1');
        if (isRefusal(text)) return Promise.resolve({ ok: false, reason: text, measured: 1, limit: 2 });
        const reference = fakeTemplate(recipe, text === 'another person');
        traces.templates.push(reference);
        return Promise.resolve({ ok: true, reference, analysis: faceAnalysis() });
      },
    },
  };
}
