import { expect, it } from 'vitest';
import { advices } from '../view-model/screen.ts';
import { createSignals, signalOf } from './signals.ts';

/** Audio that records the notes that are started. */
function createFakeAudio(resumesTo: AudioContextState) {
  const played: number[] = [];
  let made = 0;
  const gain = { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} };
  const createAudio = () => {
    made += 1;
    const audio = {
      state: 'suspended' as AudioContextState,
      currentTime: 0,
      resume: async () => {
        audio.state = resumesTo;
      },
      createOscillator() {
        const oscillator = {
          frequency: { value: 0 },
          connect: (next: unknown) => next,
          start: () => void played.push(oscillator.frequency.value),
          stop: () => undefined,
        };
        return oscillator;
      },
      createGain: () => ({ gain, connect: (next: unknown) => next }),
    };
    return audio as unknown as AudioContext;
  };
  return { createAudio, played, made: () => made };
}

const bothOn = { sound: true, vibration: true };
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

it('each result has notes and a vibration of its own', () => {
  for (const key of ['notesHz', 'vibrationMs'] as const) {
    expect(new Set(advices.map((advice) => signalOf[advice][key].join())).size).toBe(advices.length);
  }
});

it('the notes and the vibration of a result are played unless they are off, with one audio context for all', async () => {
  const audio = createFakeAudio('running');
  const felt: number[][] = [];
  const signals = createSignals({ ...audio, vibrate: (pattern) => felt.push(pattern) > 0 });
  signals.play('call-staff', { sound: false, vibration: false });
  await settled();
  expect([audio.made(), audio.played, felt]).toEqual([0, [], []]);
  signals.play('let-in', bothOn);
  await settled();
  signals.play('call-staff', bothOn);
  await settled();
  expect(audio.played).toEqual([...signalOf['let-in'].notesHz, ...signalOf['call-staff'].notesHz]);
  expect(felt).toEqual([signalOf['let-in'].vibrationMs, signalOf['call-staff'].vibrationMs]);
  expect(audio.made()).toBe(1);
});

it('a browser that refuses sound, has none or cannot vibrate breaks nothing', async () => {
  const refused = createFakeAudio('suspended');
  createSignals({ ...refused, vibrate: null }).play('let-in', bothOn);
  createSignals({ createAudio: () => null, vibrate: () => false }).play('let-in', bothOn);
  await settled();
  expect(refused.played).toEqual([]);
});
