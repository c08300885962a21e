/** The part of a face that the benchmark reads. */
export interface HumanFace {
  /** x, y, width, height in pixels. */
  readonly box: readonly [number, number, number, number];
  readonly mesh: readonly unknown[];
  readonly embedding?: readonly number[];
  readonly real?: number;
  readonly live?: number;
}

export type HumanStage = 'mesh' | 'description' | 'antispoof' | 'liveness';

/** Human's stages that a verification needs. */
export const wholeFrameStages: readonly HumanStage[] = ['mesh', 'description', 'antispoof', 'liveness'];

export interface HumanPlaces {
  /** Folder of TensorFlow.js' WebAssembly files, with a slash at its end. */
  readonly wasmPath: string;
  readonly modelBasePath: string;
}

/**
 * Human's defaults, limited to faces, on WebAssembly.
 * @param stages enabled beside the detector
 * @param everyFrame false lets it reuse results between frames, as by default
 */
export function humanConfig(stages: readonly HumanStage[], everyFrame: boolean, places: HumanPlaces): object {
  const off = { enabled: false };
  const stage = (name: HumanStage) => ({ enabled: stages.includes(name) });
  return {
    backend: 'wasm',
    ...places,
    async: false,
    debug: false,
    ...(everyFrame ? { cacheSensitivity: 0 } : {}),
    filter: off,
    gesture: off,
    body: off,
    hand: off,
    object: off,
    segmentation: off,
    face: {
      enabled: true,
      mesh: stage('mesh'),
      description: stage('description'),
      antispoof: stage('antispoof'),
      liveness: stage('liveness'),
      iris: off,
      emotion: off,
      attention: off,
    },
  };
}
