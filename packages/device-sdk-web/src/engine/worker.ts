/** The worker's side of the engine: a dedicated classic worker, since Firefox has module workers from 114 on only. */
import { type AnswerOf, answerRequests } from '@svc/capture-web';
import { FaceError, loadCore } from '@svc/core';
import {
  createCoreRuntime,
  createFaceEngine,
  type EngineImage,
  type FaceAnalysis,
  type FaceEngine,
  openPassiveLiveness,
  type PassiveLiveness,
  wipeAnalysis,
} from '@svc/face-engine';
import { openModelBundleAt } from '@svc/face-engine/browser';
import { WORKER_PATHS } from '../assets/asset-manifest.ts';
import type { OperationName, PassiveFacts, WorkerOperations } from './messages.ts';

type Answer = AnswerOf<WorkerOperations>;

const images = new Map<number, EngineImage>();
let models: Promise<Models> | null = null;

interface Models {
  readonly engine: FaceEngine;
  readonly passive: PassiveLiveness | null;
}

type Handlers = {
  readonly [Name in OperationName]: (
    ask: WorkerOperations[Name]['ask'],
    models: Models,
  ) => Promise<WorkerOperations[Name]['answer']> | WorkerOperations[Name]['answer'];
};

const handlers: Handlers = {
  start({ passive }, { engine, passive: loaded }) {
    const { engineId, recipes } = engine;
    return { engineId, recipes, passive: passive && loaded !== null ? factsOf(loaded) : null };
  },
  async prepare({ engineIds }, { engine }) {
    await engine.prepare(engineIds);
    return null;
  },
  open({ image, pixels }, { engine }) {
    try {
      images.set(image, engine.open(pixels));
    } finally {
      // The core has its own copy now.
      pixels.data.fill(0);
    }
    return pixels.data;
  },
  detect: ({ image }, { engine }) => engine.detect(imageOf(image)),
  analyse: ({ image, detection }, { engine }) => engine.analyse(imageOf(image), detection),
  track: ({ image, previous }, { engine }) => wiping(previous, () => engine.track(imageOf(image), previous)),
  embed: ({ image, face, options }, { engine }) => wiping(face, () => engine.embed(imageOf(image), face, options)),
  score: ({ image, face }, { passive }) =>
    wiping(face, async () => {
      if (passive === null) throw new FaceError('model-missing', 'there is no passive check');
      return passive.score(imageOf(image), face);
    }),
  async enrol({ image, choice }, { engine }) {
    try {
      return await engine.enrol(image, choice);
    } finally {
      image.data.fill(0);
    }
  },
  dispose({ image }) {
    images.get(image)?.dispose();
    images.delete(image);
    return null;
  },
};

answerRequests<WorkerOperations>(async ({ name, ask }) => {
  // The union pairs each name with its request type, which the index type does not express.
  const handle = handlers[name] as (ask: unknown, models: Models) => Promise<Answer> | Answer;
  if (name === 'start') models ??= load(ask.baseUrl, ask.passive);
  if (models === null) throw new FaceError('runtime-failed', 'the engine was not started');
  return handle(ask, await models);
}, movedWith);

/** Objects transferred to the page: landmarks, chips, templates, and frame buffers. */
function movedWith(answer: Answer): readonly Transferable[] {
  if (answer instanceof Float32Array || answer instanceof Uint8Array) return [answer.buffer];
  if (answer === null || typeof answer !== 'object') return [];
  if ('landmarks' in answer) return buffersOf(answer);
  if ('ok' in answer && answer.ok) return [answer.reference.buffer, ...buffersOf(answer.analysis)];
  return [];
}

const buffersOf = ({ landmarks, reliefChip }: FaceAnalysis): Transferable[] => [landmarks.buffer, reliefChip.buffer];

async function load(baseUrl: string, passive: boolean): Promise<Models> {
  const core = await loadCore();
  const runtime = createCoreRuntime(core);
  const bundle = await openModelBundleAt(baseUrl + WORKER_PATHS.models);
  const engine = await createFaceEngine({ core, runtime, bundle });
  return { engine, passive: passive ? await openPassiveLiveness({ runtime, bundle }) : null };
}

function factsOf(passive: PassiveLiveness): PassiveFacts {
  const { score, dispose, ...facts } = passive;
  return facts;
}

function imageOf(image: number): EngineImage {
  const opened = images.get(image);
  if (opened === undefined) throw new FaceError('image-invalid', 'the engine could not open the frame');
  return opened;
}

async function wiping<T>(face: Parameters<typeof wipeAnalysis>[0], action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } finally {
    wipeAnalysis(face);
  }
}
