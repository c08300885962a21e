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

const frameOf = ({ width, height, distance }: Moment, { room }: Scene) => ({
  ...{ width, height, distance },
  background: { seed: room },
});

/** A still picture of the person, moved by the hand that holds it as the motion says, with the face as large as a head. */
function heldPicture(moment: Moment, scene: Scene) {
  const { yawDeg, pitchDeg = 0, rollDeg = 0, expression: _, ...person } = moment;
  return {
    ...frameOf(moment, scene),
    ...{ turnDeg: yawDeg, tiltDeg: -pitchDeg, rollDeg },
    head: { ...person, yawDeg: 0, pitchDeg: 0, rollDeg: 0, light: scene.light },
  };
}

const picture = (
  id: string,
  title: string,
  render: (held: ReturnType<typeof heldPicture>) => RenderedImage,
): Presentation => ({ id, title, kind: 'attack', draw: (moment, scene) => render(heldPicture(moment, scene)) });

const video = (id: string, kind: 'recording' | 'replay', title: string, bezel: boolean): Presentation => ({
  id,
  title,
  kind,
  draw: (moment, scene) => renderScreen({ ...frameOf(moment, scene), bezel, head: { ...moment, light: scene.light } }),
});

/** In the report's order. */
export const presentations: readonly Presentation[] = [
  {
    id: 'live',
    title: 'a person who does as asked',
    kind: 'live',
    draw: (moment, scene) => renderHead({ ...frameOf(moment, scene), ...moment, light: scene.light }),
  },
  picture('print-flat', 'photo on paper, white border, flat', (held) => renderPrint({ ...held, bend: 0 })),
  picture('print-bent', 'the same, bent by 60°', (held) => renderPrint({ ...held, bend: 60 })),
  picture('screen-bezel', 'photo on a tablet, its rim in view', (held) =>
    renderScreen({ ...held, bezel: true, still: true }),
  ),
  picture('screen-no-bezel', 'photo on a screen without a rim', (held) =>
    renderScreen({ ...held, bezel: false, still: true }),
  ),
  picture('cut-out-flat', 'paper cut out along the head, flat', (held) => renderCutOut({ ...held, bend: 0 })),
  picture('cut-out-bent', 'the same, bent by 60°', (held) => renderCutOut({ ...held, bend: 60 })),
  picture('cut-out-tight', 'the same, bent by 150°', (held) => renderCutOut({ ...held, bend: 150 })),
  // By a person who appears nowhere else in the campaign.
  picture('mask', 'the same, bent by 60° and worn by somebody else', (held) =>
    renderCutOut({ ...held, bend: 60, wearer: held.head.seed + 5_000 }),
  ),
  video('recording-bezel', 'recording', 'recording on a tablet, its rim in view', true),
  video('recording-no-bezel', 'recording', 'recording on a screen without a rim', false),
  video('replay-bezel', 'replay', 'the turn that is asked for, on a tablet, its rim in view', true),
  video('replay-no-bezel', 'replay', 'the same on a screen without a rim', false),
];
