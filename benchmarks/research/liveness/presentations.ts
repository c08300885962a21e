import {
  type LightOptions,
  type RenderedImage,
  renderCutOut,
  renderHead,
  renderPrint,
  renderScreen,
} from '@svc/synthetic-faces';
import type { Moment } from '../../inputs/rendered-camera.ts';

/** The presentation before the camera: a presentation attack instrument (ISO/IEC 30107-3), or a person. */
export interface Presentation {
  readonly id: string;
  readonly title: string;
  /**
   * `recording`: a video that turns at a fixed time and to a fixed side. `replay`: one that shows the requested turn at
   * the right moment; reported separately, because only the passive check can stop it.
   */
  readonly kind: 'live' | 'attack' | 'recording' | 'replay';
  draw(moment: Moment, scene: Scene): RenderedImage;
}

/** The place of the attempt. */
export interface Scene {
  readonly light: LightOptions;
  readonly room: number;
}

/** A person who appears nowhere else in the campaign. */
const wearerOf = (seed: number): number => seed + 5_000;

/** A still picture of the person, moved by the hand that holds it. */
const still = ({ yawDeg: _, expression: __, gaze: ___, ...rest }: Moment): Moment => ({
  ...rest,
  yawDeg: 0,
  pitchDeg: 0,
  rollDeg: 0,
});
const frameOf = ({ width, height }: Moment, { room }: Scene) => ({ width, height, background: { seed: room } });
/** Held as the motion says, with the face as large as the head would be. */
const held = (moment: Moment) => ({
  turnDeg: moment.yawDeg,
  tiltDeg: -(moment.pitchDeg ?? 0),
  rollDeg: moment.rollDeg ?? 0,
  distance: moment.distance,
});

const print = (id: string, title: string, bend: number): Presentation => ({
  id,
  title,
  kind: 'attack',
  draw: (moment, scene) =>
    renderPrint({ ...frameOf(moment, scene), ...held(moment), bend, head: { ...still(moment), light: scene.light } }),
});

const photoOnScreen = (id: string, title: string, bezel: boolean): Presentation => ({
  id,
  title,
  kind: 'attack',
  draw: (moment, scene) =>
    renderScreen({
      ...frameOf(moment, scene),
      ...held(moment),
      bezel,
      still: true,
      head: { ...still(moment), light: scene.light },
    }),
});

const cutOut = (id: string, title: string, bend: number, worn: boolean): Presentation => ({
  id,
  title,
  kind: 'attack',
  draw: (moment, scene) =>
    renderCutOut({
      ...frameOf(moment, scene),
      ...held(moment),
      bend,
      ...(worn ? { wearer: wearerOf(moment.seed) } : {}),
      head: { ...still(moment), light: scene.light },
    }),
});

const video = (id: string, kind: 'recording' | 'replay', title: string, bezel: boolean): Presentation => ({
  id,
  title,
  kind,
  draw: (moment, scene) =>
    renderScreen({
      ...frameOf(moment, scene),
      distance: moment.distance,
      bezel,
      head: { ...moment, light: scene.light },
    }),
});

/** In the report's order. */
export const presentations: readonly Presentation[] = [
  {
    id: 'live',
    title: 'a person who does as asked',
    kind: 'live',
    draw: (moment, scene) => renderHead({ ...frameOf(moment, scene), ...moment, light: scene.light }),
  },
  print('print-flat', 'photo on paper, white border, flat', 0),
  print('print-bent', 'the same, bent by 60°', 60),
  photoOnScreen('screen-bezel', 'photo on a tablet, its rim in view', true),
  photoOnScreen('screen-no-bezel', 'photo on a screen without a rim', false),
  cutOut('cut-out-flat', 'paper cut out along the head, flat', 0, false),
  cutOut('cut-out-bent', 'the same, bent by 60°', 60, false),
  cutOut('cut-out-tight', 'the same, bent by 150°', 150, false),
  cutOut('mask', 'the same, bent by 60° and worn by somebody else', 60, true),
  video('recording-bezel', 'recording', 'recording on a tablet, its rim in view', true),
  video('recording-no-bezel', 'recording', 'recording on a screen without a rim', false),
  video('replay-bezel', 'replay', 'the turn that is asked for, on a tablet, its rim in view', true),
  video('replay-no-bezel', 'replay', 'the same on a screen without a rim', false),
];
