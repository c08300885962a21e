/** The handles of `face-shape.ts`, each in units of about one population standard deviation. */
export const shapeHandles = [
  ...(['faceWidth', 'faceHeight', 'faceDepth'] as const),
  ...(['jawWidth', 'jawAngle', 'chinWidth', 'chinLength', 'chinForward', 'chinCleft'] as const),
  ...(['midfaceLength', 'foreheadHeight', 'foreheadWidth', 'foreheadSlope', 'browRidge', 'browHeight'] as const),
  ...(['cheekboneWidth', 'cheekboneForward', 'cheekFullness', 'jowls'] as const),
  ...(['noseWidth', 'noseLength', 'noseForward', 'noseBridge', 'noseBridgeWidth', 'noseHump'] as const),
  ...(['noseTipUp', 'noseTipSize', 'nostrilFlare', 'noseBend'] as const),
  ...(['eyeDistance', 'eyeSize', 'eyeOpening', 'eyeSlant', 'eyeDepth', 'eyeHeight', 'lidHood', 'epicanthus'] as const),
  ...(['mouthWidth', 'mouthHeight', 'upperLip', 'lowerLip', 'lipForward'] as const),
  ...(['mouthCorners', 'cupidBow', 'philtrum'] as const),
] as const;

export type ShapeHandle = (typeof shapeHandles)[number];

/**
 * Means of the handles that go together in people, so that a head's features match one another and heads spread widely.
 */
export interface Population {
  readonly tone: readonly [number, number];
  readonly undertone: number;
  readonly curl: readonly [number, number];
  readonly fairHair: number;
  readonly fairEyes: number;
  readonly means: Partial<Record<ShapeHandle, number>>;
}

export const populations: readonly [Population, ...Population[]] = [
  {
    tone: [0.0, 0.25],
    undertone: -0.5,
    curl: [0, 0.45],
    fairHair: 0.7,
    fairEyes: 0.75,
    means: { noseWidth: -0.6, noseBridge: 0.8, noseForward: 0.4, upperLip: -0.7, lowerLip: -0.4, eyeDepth: 0.5 },
  },
  {
    tone: [0.2, 0.5],
    undertone: 0.6,
    curl: [0.1, 0.6],
    fairHair: 0.12,
    fairEyes: 0.2,
    means: { noseForward: 0.8, noseBridge: 0.9, noseHump: 0.8, browRidge: 0.4, eyeSize: 0.3, noseLength: 0.6 },
  },
  {
    tone: [0.1, 0.42],
    undertone: 1,
    curl: [0, 0.15],
    fairHair: 0.02,
    fairEyes: 0.02,
    means: {
      noseBridge: -1.3,
      noseForward: -0.7,
      epicanthus: 1.6,
      eyeOpening: -0.9,
      eyeSlant: 0.8,
      faceWidth: 0.5,
      eyeDepth: -0.9,
      browRidge: -0.8,
      cheekboneWidth: 0.6,
    },
  },
  {
    tone: [0.42, 0.75],
    undertone: 0.8,
    curl: [0.05, 0.5],
    fairHair: 0.02,
    fairEyes: 0.04,
    means: { eyeSize: 0.6, noseBridge: 0.2, lowerLip: 0.5, noseTipSize: 0.4, faceWidth: -0.3 },
  },
  {
    tone: [0.65, 1],
    undertone: 0.1,
    curl: [0.8, 1],
    fairHair: 0.01,
    fairEyes: 0.02,
    means: {
      noseWidth: 1.7,
      noseBridge: -0.8,
      noseForward: -0.4,
      nostrilFlare: 1,
      upperLip: 1.6,
      lowerLip: 1.5,
      lipForward: 1.2,
      eyeDistance: 0.5,
      foreheadSlope: 0.4,
    },
  },
  {
    tone: [0.25, 0.6],
    undertone: 0.5,
    curl: [0, 0.5],
    fairHair: 0.06,
    fairEyes: 0.08,
    means: { cheekboneWidth: 1, noseWidth: 0.5, epicanthus: 0.5, faceWidth: 0.4, upperLip: 0.3 },
  },
];
