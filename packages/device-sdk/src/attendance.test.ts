import { describe, expect, it } from 'vitest';
import type { Camera } from './attempt/camera.ts';
import { answer, createHarness, readyDevice, recorded, visit } from './testing/device-harness.ts';
import type { Head } from './testing/fake-engine.ts';

/** What the adapter of a kind of device says of its camera and screen. */
const devices = {
  'a kiosk with light, or a native shell': { origin: 'device', light: { show: () => undefined } },
  'a page without light, or Node whose host says that its camera is real': { origin: 'device' },
  'Node whose host says nothing': {},
} as const satisfies Record<string, Partial<Camera>>;
type Device = keyof typeof devices;

const flat = { parallax: 0.02, depth: 0.05 };
/** With its rim out of view; the fake engine's pictures answer no light. */
const near = { width: 300, evidence: 0.6 };
const still = (over: Partial<Head>): Head[] => Array.from({ length: 99 }, () => ({ who: 1, ...over }));

/** Who is before the camera, how it ends where staff watch, with a light, and without. */
const shown: readonly (readonly [what: string, heads: readonly Head[], staffed: string, lit: string, unlit: string])[] =
  [
    ['a person with room', visit(1, 'left'), 'verified', 'verified', 'verified'],
    ['a person who stays near', visit(1, 'left', { width: 300 }), 'verified', 'light-not-held', 'too-little-room'],
    ['a photo that shows its rim', still({ live: 0.05 }), 'attack-frame', 'attack-frame', 'attack-frame'],
    ['a photo that looks live, turned', visit(1, 'left', flat), 'no-parallax', 'no-parallax', 'no-parallax'],
    ['a recording to the other side', visit(1, 'right'), 'wrong-way', 'wrong-way', 'wrong-way'],
    [
      'a told replay, near',
      [...visit(1, 'left', near), ...still(near)],
      'verified',
      'light-not-held',
      'too-little-room',
    ],
    [
      'a told replay without a rim',
      visit(1, 'left', { evidence: 0.6 }),
      'verified',
      'light-not-held',
      'not-surely-live',
    ],
    ['surely a screen', visit(1, 'left', { evidence: 0 }), 'verified', 'not-surely-live', 'not-surely-live'],
  ];

/** The rendered matrix is that of `npm run evaluate:liveness`; this one shows which rule ends what on which device. */
describe.each(Object.keys(devices) as Device[])('before %s', (kind) => {
  const camera = devices[kind];
  it.each(shown)('%s', async (_what, heads, staffed, lit, unlit) => {
    for (const attendance of ['staffed', 'unattended'] as const) {
      const harness = createHarness();
      harness.service.attendance = attendance;
      const device = await readyDevice(harness);
      const reason = (await answer(device, 'ticket-1', { ...recorded(heads), ...camera })).split('/')[1];
      const alone = !('origin' in camera) ? 'camera-unproven' : 'light' in camera ? lit : unlit;
      expect([attendance, reason]).toEqual([attendance, attendance === 'staffed' ? staffed : alone]);
    }
  });
});
