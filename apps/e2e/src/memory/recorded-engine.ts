import type { PixelImage } from '@svc/core';
import type { Detection, EngineImage, EnrolResult, FaceAnalysis, FaceEngine, PassiveLiveness } from '@svc/face-engine';

interface Recording {
  detections?: readonly Detection[];
  readonly analyses: Map<string, FaceAnalysis | null>;
  readonly templates: Map<string, Float32Array>;
  readonly scores: Map<string, number | null>;
}

interface OpenedFrame extends EngineImage {
  readonly recording: Recording;
  /** Allocates in the engine's memory when something new is asked. */
  image(): EngineImage;
}

const keyOf = (x: number, y: number): string => `${x.toFixed(3)} ${y.toFixed(3)}`;
const atFace = ({ landmarks }: FaceAnalysis): string => keyOf(landmarks[0] ?? 0, landmarks[1] ?? 0);
/** Deep copy, because an attempt wipes its input. */
const copyOf = (analysis: FaceAnalysis): FaceAnalysis => structuredClone(analysis);

/**
 * Asks the real engine once per frame and question, and returns copies of its results afterwards. Frames are identified
 * by their pixel objects.
 */
export class RecordedEngine {
  readonly #engine: FaceEngine;
  readonly #liveness: PassiveLiveness | null;
  readonly #recordings = new WeakMap<object, Recording>();

  constructor(engine: FaceEngine, liveness: PassiveLiveness | null) {
    this.#engine = engine;
    this.#liveness = liveness;
  }

  get passiveLiveness(): PassiveLiveness | null {
    const liveness = this.#liveness;
    if (liveness === null) return null;
    return {
      name: liveness.name,
      calibration: liveness.calibration,
      score: (image, face) =>
        kept(framed(image).recording.scores, atFace(face), () => liveness.score(framed(image).image(), face)),
      dispose: () => undefined,
    };
  }

  get engine(): FaceEngine {
    const engine = this.#engine;
    const { engineId, dimension, matchThreshold, recipes, core } = engine;
    return {
      engineId,
      dimension,
      matchThreshold,
      recipes,
      core,
      prepare: (engineIds) => engine.prepare(engineIds),
      open: (image) => this.#open(image),
      async detect(image) {
        const frame = framed(image);
        frame.recording.detections ??= await engine.detect(frame.image());
        return frame.recording.detections;
      },
      async analyse(image, detection) {
        const { box } = detection;
        const seen = await kept(framed(image).recording.analyses, `analyse ${keyOf(box.x, box.y)}`, () =>
          ownCopy(engine.analyse(framed(image).image(), detection)),
        );
        return seen === null ? null : copyOf(seen);
      },
      async track(image, previous) {
        const seen = await kept(framed(image).recording.analyses, `track ${atFace(previous)}`, () =>
          ownCopy(engine.track(framed(image).image(), previous)),
        );
        return seen === null ? null : copyOf(seen);
      },
      async embed(image, face, options) {
        const template = await kept(
          framed(image).recording.templates,
          `${atFace(face)} ${options?.engineId} ${options?.mirror}`,
          () => engine.embed(framed(image).image(), face, options),
        );
        return Float32Array.from(template);
      },
      enrol: (image, choice): Promise<EnrolResult> => engine.enrol(image, choice),
      dispose: () => undefined,
    };
  }

  #open(pixels: PixelImage): OpenedFrame {
    const recording = this.#recordings.get(pixels) ?? { analyses: new Map(), templates: new Map(), scores: new Map() };
    this.#recordings.set(pixels, recording);
    let opened: EngineImage | null = null;
    return {
      width: pixels.width,
      height: pixels.height,
      recording,
      image: () => {
        opened ??= this.#engine.open(pixels);
        return opened;
      },
      dispose: () => opened?.dispose(),
    };
  }
}

/** The attempt wipes the copy, not the recording. */
const ownCopy = async (made: Promise<FaceAnalysis | null>): Promise<FaceAnalysis | null> => {
  const analysis = await made;
  return analysis === null ? null : copyOf(analysis);
};

async function kept<T>(answers: Map<string, T>, key: string, ask: () => Promise<T>): Promise<T> {
  if (!answers.has(key)) answers.set(key, await ask());
  return answers.get(key) as T;
}

const framed = (image: EngineImage): OpenedFrame => image as OpenedFrame;
