import { attempt } from '@svc/page-kit';
import type { Advice } from '../view-model/screen.ts';

/** How a result sounds and feels, so that staff tell results apart without looking. */
export interface Signal {
  /** Frequencies in Hz, one after the other. */
  readonly notesHz: readonly number[];
  /** Duration of each note. */
  readonly noteMs: number;
  /** As `navigator.vibrate` takes it: on, off, on, … */
  readonly vibrationMs: readonly number[];
}

/** Rising: come in. Up and down: look. Level: somewhere else. Falling and slow: staff. */
export const signalOf: Readonly<Record<Advice, Signal>> = {
  'let-in': { notesHz: [659.25, 987.77], noteMs: 160, vibrationMs: [80] },
  'already-let-in': { notesHz: [659.25, 987.77, 659.25], noteMs: 160, vibrationMs: [80, 80, 80] },
  'standard-check-in': { notesHz: [440, 440], noteMs: 220, vibrationMs: [250] },
  'call-staff': { notesHz: [392, 329.63, 261.63], noteMs: 320, vibrationMs: [300, 120, 300, 120, 300] },
};

const VOLUME = 0.14;

/** The parts of the browser that signals need. */
export interface SignalOutputs {
  /** @returns null where there is no sound */
  readonly createAudio: () => AudioContext | null;
  /** Null where the device cannot vibrate. */
  readonly vibrate: ((patternMs: number[]) => boolean) | null;
}

/**
 * Plays signals. Notes are synthesised, so no file has to be loaded. A browser that has seen no touch or key since the
 * page was loaded may refuse both; nothing is then played late.
 */
export function createSignals({ createAudio, vibrate }: SignalOutputs): {
  play(advice: Advice, on: { readonly sound: boolean; readonly vibration: boolean }): void;
} {
  let audio: AudioContext | null = null;

  async function playNotes({ notesHz, noteMs }: Signal): Promise<void> {
    audio ??= createAudio();
    if (audio === null) return;
    const askedAtMs = performance.now();
    if (audio.state !== 'running') await audio.resume();
    if (audio.state !== 'running' || performance.now() - askedAtMs > noteMs) return;
    for (const [i, frequency] of notesHz.entries()) {
      const at = audio.currentTime + (i * noteMs) / 1000;
      const end = at + (2 * noteMs) / 1000;
      const oscillator = audio.createOscillator();
      oscillator.frequency.value = frequency;
      const gain = audio.createGain();
      gain.gain.setValueAtTime(0, at);
      gain.gain.linearRampToValueAtTime(VOLUME, at + 0.02);
      gain.gain.exponentialRampToValueAtTime(0.001, end);
      oscillator.connect(gain).connect(audio.destination);
      oscillator.start(at);
      oscillator.stop(end);
    }
  }

  return {
    play(advice, { sound, vibration }) {
      const signal = signalOf[advice];
      if (vibration) attempt(() => vibrate?.([...signal.vibrationMs]), false);
      if (sound) void playNotes(signal).catch(() => undefined);
    },
  };
}
