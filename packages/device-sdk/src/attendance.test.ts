import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Camera } from './attempt/camera.ts';
import { type LightColour, linearColour, restingLight } from './light/colours.ts';
import { contrastPlaces, type LightSample } from './light/measure.ts';
import type { Head } from './testing/fake-engine.ts';

/** What the screen shows to a face that answers it; null: the frames are measured. */
const screen: { colour: LightColour | null } = { colour: null };
vi.doMock(import('./light/measure.ts'), async (original) => {
  const measured = await original();
  const measureLight: typeof measured.measureLight = (image, face, atMs, anchor) =>
    screen.colour === null ? measured.measureLight(image, face, atMs, anchor) : answerOf(atMs);
  return { ...measured, measureLight };
});

// The process may have loaded the sources before, for another file.
vi.resetModules();
const { createHarness, readyDevice, recorded, visit } = await import('./testing/device-harness.ts');
afterAll(() => {
  vi.doUnmock('./light/measure.ts');
  vi.resetModules();
});

/** Of skin, in front of a background that the screen hardly reaches. */
function answerOf(atMs: number): LightSample {
  const light = linearColour(screen.colour ?? restingLight);
  const lit = (albedo: number, gain: number) =>
    light.map((part, k) => albedo * (1 + gain * part) * (1 + 0.002 * Math.sin(atMs + 7 * k + 99 * gain)));
  const seen = (albedo: number, gain: number) => lit(albedo, gain) as unknown as ReturnType<typeof linearColour>;
  return {
    ...{ atMs, faceShare: 0.3, clipped: 0, frontal: true, background: seen(0.2, 0.02) },
    regions: [0.2, 0.25, 0.25, 0.3, 0.3].map((gain) => seen(0.2, gain)),
    contrasts: contrastPlaces.map(() => ({ dark: seen(0.05, 0.25), bright: seen(0.2, 0.25) })),
  };
}

/** What the adapter of a kind of device says of its camera and screen. */
const devices = {
  'a kiosk with light, or a native shell': { origin: 'device', hasLight: true },
  'a page without light, or Node whose host says that its camera is real': { origin: 'device' },
  'Node whose host says nothing': {},
} as const satisfies Record<string, Pick<Camera, 'origin'> & { readonly hasLight?: true }>;
type Device = keyof typeof devices;

const flat = { parallax: 0.02, depth: 0.05 };
const weak = { live: 0.4, evidence: 0.08 };
const weakest = 'passive-below-threshold';
/** With its rim out of view. */
const near = { width: 300, evidence: 0.6 };
const still = (over: Partial<Head>): Head[] => Array.from({ length: 99 }, () => ({ who: 1, ...over }));

/** Looks ahead for as long as the light takes, and then turns. */
const visitor = (over: Partial<Head> = {}, side: 'left' | 'right' = 'left') => [
  ...still(over).slice(0, 45),
  ...visit(1, side, over),
];

/** Who is before the camera, how it ends where staff watch, with a light, and without. */
const shown: readonly (readonly [what: string, heads: readonly Head[], staffed: string, lit: string, unlit: string])[] =
  [
    ['a person with room', visitor(), 'verified', 'verified', 'verified'],
    ['a person who stays near', visitor({ width: 300 }), 'verified', 'verified', 'too-little-room'],
    ['a person who looks little live', visitor(weak), weakest, 'verified', weakest],
    ['a photo that shows its rim', still({ live: 0.05 }), 'attack-frame', 'attack-frame', 'attack-frame'],
    ['a photo that looks live, turned', visitor(flat), 'no-parallax', 'light-not-answered', 'no-parallax'],
    ['the same, that looks little live', visitor({ ...flat, ...weak }), weakest, 'light-not-answered', weakest],
    ['a recording to the other side', visitor({}, 'right'), 'wrong-way', 'light-not-answered', 'wrong-way'],
    ['a cued replay, near', visitor(near), 'verified', 'light-not-answered', 'too-little-room'],
    ['a cued replay without a rim', visitor({ evidence: 0.6 }), 'verified', 'light-not-answered', 'not-surely-live'],
    ['a cued replay that fills the picture', visitor(), 'verified', 'light-not-answered', 'verified'],
    ['surely a screen', visitor({ evidence: 0 }), 'verified', 'not-surely-live', 'not-surely-live'],
  ];

/** Before a light that the face answers, or not: then it shows the same all the time. */
const lightBefore = (answersLight: boolean) => ({
  show: (colour: LightColour | null) => {
    screen.colour = colour !== null && !answersLight ? restingLight : colour;
  },
});

async function verify(attendance: 'staffed' | 'unattended', heads: readonly Head[], camera: Partial<Camera>) {
  const harness = createHarness();
  harness.service.attendance = attendance;
  const device = await readyDevice(harness);
  const { reason, protections } = await device.verifyLiveAsync('ticket-1', { ...recorded(heads), ...camera });
  expect(screen.colour).toBeNull();
  return [attendance, reason, protections.witness];
}

/** The rendered matrix is that of `npm run evaluate:liveness`; this one shows which rule ends what on which device. */
describe.each(Object.keys(devices) as Device[])('before %s', (kind) => {
  const { hasLight, ...camera }: { readonly hasLight?: true } & Partial<Camera> = devices[kind];
  it.each(shown)('%s', async (what, heads, staffed, lit, unlit) => {
    const over = { ...camera, ...(hasLight ? { light: lightBefore(what.startsWith('a person')) } : {}) };
    expect(await verify('staffed', heads, over)).toEqual(['staffed', staffed, null]);
    const alone = camera.origin === undefined ? 'camera-unproven' : hasLight ? lit : unlit;
    const witness = alone === 'verified' ? (hasLight ? 'light' : 'room') : null;
    expect(await verify('unattended', heads, over)).toEqual(['unattended', alone, witness]);
  });
});

it('a head that looks aside but where it is compared answers no light', async () => {
  const ahead = visitor().map((head, i) => (i < 5 || i > 45 || i % 6 === 4 ? head : { ...head, yawDeg: 13 }));
  const [, reason] = await verify('unattended', ahead, { origin: 'device', light: lightBefore(true) });
  expect(reason).toMatch(/^light/);
});
