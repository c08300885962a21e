import { ok } from 'node:assert/strict';
import type { EngineRecipe } from '@svc/face-engine';
import { benchEngine, withoutAddOn } from '../inputs/engines.ts';
import { benchPhoto, checkHuman, frameHeight, frameWidth, oneFace, passiveOf, wholeFrame } from '../inputs/photo.ts';
import { createHuman } from '../peers/human.ts';
import type { BenchCase, DerivedFigure, SuiteFactory } from '../suite.ts';

const size = { width: frameWidth, height: frameHeight };
/** A device's rates at the door: frames per second, searches for a second face, comparisons. */
const video = { fps: 15, searchesPerS: 2, comparisonsPerS: 1 / 0.3 };

/** Differences between the engines: the embedding, and its share of a frame, an attempt and a reference. */
export const createSuite: SuiteFactory = async () => {
  const photo = await benchPhoto();
  const loaded = await benchEngine();
  const { engine, passiveLiveness } = loaded;
  const passive = await passiveOf(loaded, photo.rgba);
  const human = await createHuman({ ...size, everyFrame: true });
  const { analysis, image } = await oneFace(engine, photo.rgba);
  const [preferred, builtIn] = engine.recipes;

  async function embeddings(recipe: EngineRecipe): Promise<BenchCase[]> {
    const { engineId, dimension, matchThreshold } = recipe;
    const reference = await engine.embed(image, analysis, { engineId });
    const isIt = (template: Float32Array | null) =>
      ok(template?.length === dimension && engine.core.cosine(template, reference) > matchThreshold);
    const embed = (mirror: boolean) => engine.embed(image, analysis, { engineId, mirror });
    return [
      {
        name: `${engineId}: a probe`,
        run: () => embed(false),
        check: async () => isIt(await embed(false)),
      },
      {
        name: `${engineId}: a reference`,
        run: () => embed(true),
        check: async () => isIt(await embed(true)),
      },
      {
        name: `${engineId}: whole frame with a probe`,
        run: () => wholeFrame(loaded, photo.rgba, { engineId, mirror: false }),
        check: async () => isIt((await wholeFrame(loaded, photo.rgba, { engineId, mirror: false })).template),
      },
    ];
  }

  async function videoFrame() {
    const opened = engine.open(photo.rgba);
    const tracked = await engine.track(opened, analysis);
    const score = tracked && passiveLiveness ? await passiveLiveness.score(opened, tracked) : null;
    opened.dispose();
    return { tracked, score };
  }

  const attempt = (engineId: string): DerivedFigure => ({
    name: `${engineId}: share of one core that an attempt takes at ${video.fps} frames a second, and its longest frame`,
    text: (medianMs) => {
      const [frame, detect, probe] = [
        medianMs('a frame of video'),
        medianMs('detector'),
        medianMs(`${engineId}: a probe`),
      ];
      const perSecond = video.fps * frame + video.searchesPerS * detect + video.comparisonsPerS * probe;
      return `${(perSecond / 10).toFixed(0)} %, ${(frame + detect + probe).toFixed(1)} ms of ${(1000 / video.fps).toFixed(1)} ms`;
    },
  });

  return {
    title: 'The engines beside each other',
    about: `One frame of ${frameWidth}×${frameHeight}, ${photo.what}; passive liveness in whole frames and in frames of video${passive === null ? ' (absent here)' : ''}. A frame of video is tracked and scored; twice a second the detector looks for a second face, and every 300 ms a probe is compared. The longest frame has all three.`,
    cases: [
      ...(await Promise.all(engine.recipes.map(embeddings))).flat(),
      {
        name: 'a frame of video',
        run: videoFrame,
        check: async () => {
          const { tracked, score } = await videoFrame();
          ok(tracked && (score === null) === (passive === null));
        },
      },
      {
        name: 'detector',
        run: () => engine.detect(image),
        check: async () => ok((await engine.detect(image)).length === 1),
      },
      {
        name: 'Human: whole frame',
        run: () => human.detect(photo.rgb),
        check: async () => checkHuman(await human.detect(photo.rgb), analysis.box),
      },
    ],
    ratios: [
      ...(preferred && builtIn ? ratiosBetween(preferred, builtIn) : []),
      ...engine.recipes.map(({ engineId }) => ({
        name: `whole frame: ${engineId} over Human`,
        fast: `${engineId}: whole frame with a probe`,
        slow: 'Human: whole frame',
      })),
    ],
    figures: engine.recipes.map(({ engineId }) => attempt(engineId)),
    rounds: 11,
    batchMs: 100,
    skipped: passive === null ? [withoutAddOn] : [],
  };
};

const ratiosBetween = (preferred: EngineRecipe, builtIn: EngineRecipe) =>
  ['a probe', 'a reference'].map((what) => ({
    name: `${what}: ${preferred.engineId} over ${builtIn.engineId}`,
    fast: `${preferred.engineId}: ${what}`,
    slow: `${builtIn.engineId}: ${what}`,
  }));
