import {
  type DeviceName,
  deviceNames,
  heldDevice,
  type LightOptions,
  type LitScene,
  litCutOut,
  litPrint,
  type Optics,
  type Panel,
  renderLitHead,
} from '@svc/synthetic-faces';
import type { Moment } from '../../inputs/rendered-camera.ts';

/** The place of the attempt, with its camera and screen. */
export interface Scene {
  readonly light: LightOptions;
  readonly room: number;
  /** The screen that lights the face; null if there is none. */
  readonly panel: Panel | null;
  readonly optics: Optics;
  /** Whether a device is held so near that its rim is out of view, or is so large. */
  readonly hold: 'near' | 'far' | 'filling';
}

/** The presentation before the camera: a presentation attack instrument (ISO/IEC 30107-3), or a person. */
export interface Presentation {
  readonly id: string;
  readonly title: string;
  /**
   * `recording`: a video that turns at a fixed time and to a fixed side. `replay`: one that shows the requested turn at
   * the right moment; reported separately, because the turn does not stop it.
   */
  readonly kind: 'live' | 'attack' | 'recording' | 'replay';
  draw(moment: Moment, scene: Scene): LitScene;
}

const frameOf = ({ width, height, distance }: Moment, { light, room, panel }: Scene) => ({
  ...{ width, height, distance, light, panel },
  background: { seed: room },
});

/** A still picture of the person, moved by the hand that holds it as the motion says, with the face as large as a head. */
function heldPicture(moment: Moment, scene: Scene) {
  const { yawDeg, pitchDeg = 0, rollDeg = 0, expression: _, ...person } = moment;
  return {
    ...frameOf(moment, scene),
    ...{ turnDeg: yawDeg, tiltDeg: -pitchDeg, rollDeg },
    head: { ...person, yawDeg: 0, pitchDeg: 0, rollDeg: 0 },
  };
}

const picture = (
  id: string,
  title: string,
  render: (held: ReturnType<typeof heldPicture>) => LitScene,
): Presentation => ({ id, title, kind: 'attack', draw: (moment, scene) => render(heldPicture(moment, scene)) });

const titles: Readonly<Record<DeviceName, string>> = {
  phone: 'on a phone',
  tablet: 'on a tablet',
  monitor: 'on a monitor',
  rimless: 'on a rimless screen',
};

/** A hand holds it: it tilts a little, and does not turn with the head that it shows. */
function heldVideo(device: DeviceName, moment: Moment, scene: Scene): LitScene {
  const { pitchDeg = 0, rollDeg = 0, optics, hold } = { ...moment, ...scene };
  const held = { device, hold, optics, head: moment, turnDeg: 2 * rollDeg, tiltDeg: 3 * pitchDeg };
  return heldDevice({ ...frameOf(moment, scene), ...held });
}

function onDevice(device: DeviceName): readonly Presentation[] {
  const video = (kind: 'recording' | 'replay', what: string): Presentation => ({
    ...{ id: `${kind}-${device}`, title: `${what} ${titles[device]}`, kind },
    draw: (moment, scene) => heldVideo(device, moment, scene),
  });
  return [
    {
      ...{ id: `photo-${device}`, title: `photo ${titles[device]}`, kind: 'attack' },
      draw(moment, scene) {
        const { optics, hold } = scene;
        return heldDevice({ ...heldPicture(moment, scene), device, hold, optics, still: true });
      },
    },
    video('recording', 'recording'),
    video('replay', 'cued replay'),
  ];
}

/** Far off only: near by it would be as any monitor. */
export const fillingReplay = 'replay-filling';

/** In the report's order. */
export const presentations: readonly Presentation[] = [
  {
    id: 'live',
    title: 'a person who does as asked',
    kind: 'live',
    draw: (moment, scene) => renderLitHead({ ...frameOf(moment, scene), ...moment }),
  },
  picture('print-flat', 'photo on paper, white border, flat', (held) => litPrint({ ...held, bend: 0 })),
  picture('print-bent', 'photo on paper, bent by 60°', (held) => litPrint({ ...held, bend: 60 })),
  picture('cut-out-flat', 'paper cut out along the head, flat', (held) => litCutOut({ ...held, bend: 0 })),
  picture('cut-out-bent', 'the cut-out, bent by 60°', (held) => litCutOut({ ...held, bend: 60 })),
  picture('cut-out-tight', 'the cut-out, bent by 150°', (held) => litCutOut({ ...held, bend: 150 })),
  // By a person who appears nowhere else in the campaign.
  picture('mask', 'the cut-out, bent by 60°, worn by another person', (held) =>
    litCutOut({ ...held, bend: 60, wearer: held.head.seed + 5_000 }),
  ),
  ...deviceNames.flatMap(onDevice),
  {
    ...{ id: fillingReplay, title: 'cued replay, small face, screen fills the picture', kind: 'replay' },
    draw: (moment, scene) => heldVideo('monitor', moment, { ...scene, hold: 'filling' }),
  },
];
