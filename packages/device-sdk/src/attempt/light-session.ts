import type { PixelImage } from '@svc/core';
import type { Box, FaceAnalysis } from '@svc/face-engine';
import { type LightColour, restingLight } from '../light/colours.ts';
import type { LightEvidence } from '../light/evidence.ts';
import { type EarlierLight, judgeLight, type LightVerdict, nothingEarlier } from '../light/judge.ts';
import { type LightSample, measureLight } from '../light/measure.ts';
import { STANDARD_LIGHT_POLICY } from '../light/policy.ts';
import { shownSteps } from '../light/response.ts';
import type { LightSequence } from '../light/sequence.ts';
import type { ScreenLight } from './camera.ts';

interface Running {
  readonly sequence: LightSequence;
  /** Times at which the screen was asked for each step so far. */
  readonly startsMs: number[];
  /** Time at which the screen was asked to rest; null while steps are shown. */
  endMs: number | null;
}

/**
 * The light challenge of one attempt: shows sequences, collects the frames' responses and judges them. Times are the
 * attempt's. A step never lasts shorter than drawn, however late the frames are processed.
 */
export class LightSession {
  readonly #screen: ScreenLight;
  readonly #draw: () => LightSequence;
  #running: Running | null = null;
  #samples: LightSample[] = [];
  #earlier: EarlierLight = nothingEarlier;
  /** Box of the face in the sequence's first frame. */
  #anchor: Box | null = null;

  constructor(screen: ScreenLight, draw: () => LightSequence) {
    this.#screen = screen;
    this.#draw = draw;
    this.#show(restingLight);
  }

  /** Starts a new sequence; a running one is dropped. */
  begin(atMs: number): void {
    if (this.#running !== null) this.#close(null);
    const sequence = this.#draw();
    this.#running = { sequence, startsMs: [], endMs: null };
    this.#next(this.#running, atMs);
  }

  /** Drops a running sequence and rests. */
  drop(): void {
    if (this.#running === null) return;
    this.#close(null);
    this.#show(restingLight);
  }

  /**
   * Shows the colour that is due.
   * @returns milliseconds until the next call; null if nothing is left to show
   */
  advance(atMs: number): number | null {
    const running = this.#running;
    if (running === null || running.endMs !== null) return null;
    const step = running.sequence[running.startsMs.length - 1];
    const due = (running.startsMs[running.startsMs.length - 1] ?? atMs) + (step?.durationMs ?? 0);
    return atMs < due ? due - atMs : this.#next(running, atMs);
  }

  /** Measures this frame's response while a sequence runs. */
  observe(image: PixelImage, face: FaceAnalysis, atMs: number): void {
    if (this.#running === null) return;
    this.#anchor ??= face.box;
    this.#samples.push(measureLight(image, face, atMs, this.#anchor));
  }

  /** The verdict, once, after the sequence was shown and had time to reach the frames; else null. */
  verdict(atMs: number): LightVerdict | null {
    const running = this.#running;
    if (running === null || running.endMs === null || atMs < running.endMs + STANDARD_LIGHT_POLICY.arrivalMs)
      return null;
    const steps = shownSteps(running.sequence, running.startsMs);
    const shown = { steps, endMs: running.endMs, candela: this.#screen.candela };
    const { verdict, evidence } = judgeLight(this.#samples, shown, this.#earlier);
    this.#close(verdict.outcome === 'abstained' && verdict.reason === 'faint' ? evidence : null);
    return verdict;
  }

  /** Restores the screen and drops all measurements. */
  end(): void {
    this.#forget();
    this.#earlier = nothingEarlier;
    this.#show(null);
  }

  /** An aborted sequence counts too: otherwise an attacker could abort every wrong guess. */
  #close(faint: LightEvidence | null): void {
    const { sequences, faint: first } = this.#earlier;
    this.#earlier = { sequences: sequences + 1, faint: first ?? faint };
    this.#forget();
  }

  #next(running: Running, atMs: number): number | null {
    const step = running.sequence[running.startsMs.length];
    if (step === undefined) {
      running.endMs = atMs;
      this.#show(restingLight);
      return null;
    }
    running.startsMs.push(atMs);
    this.#show(step.colour);
    return step.durationMs;
  }

  #forget(): void {
    this.#running = null;
    this.#samples = [];
    this.#anchor = null;
  }

  #show(colour: LightColour | null): void {
    try {
      this.#screen.show(colour);
    } catch {
      // A screen that shows nothing gets no response.
    }
  }
}
