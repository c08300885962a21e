import { FaceError } from '@svc/core';
import {
  type EngineImage,
  type EngineRecipe,
  type FaceAnalysis,
  type FaceEngine,
  type PassiveLiveness,
  recipeFor,
} from '@svc/face-engine';
import type { Attendance } from '@svc/protocol/sync';
import type { LightSequence } from '../light/sequence.ts';
import type { Clock, Timers } from '../platform/platform.ts';
import { isLightEvidence } from '../verification/frame-facts.ts';
import { openAttempt, transition } from '../verification/machine.ts';
import { STANDARD_POLICY } from '../verification/policy.ts';
import {
  lightProtection,
  type Protections,
  type Verdict,
  type VerificationCounts,
  type VerificationTimings,
} from '../verification/result.ts';
import {
  type ActiveCheck,
  type AttemptEffect,
  type AttemptEvent,
  type AttemptState,
  type Facts,
  type FinishedState,
  gathers,
  type Setup,
  type TurnDirection,
} from '../verification/states.ts';
import { witnessOf } from '../verification/witness.ts';
import { type Camera, type CameraFrame, type FrameSource, openFrameSource, releaseFrame } from './camera.ts';
import { FrameReader } from './frame-reader.ts';
import { FusedProbe, probeWeight } from './fused-probe.ts';
import { LightSession } from './light-session.ts';
import { LivenessWatch, type WatchedFrame } from './watch-liveness.ts';

export interface AttemptInput {
  readonly engine: FaceEngine;
  /** Null: no passive check; staff watch. */
  readonly passiveLiveness: PassiveLiveness | null;
  /** The engine of the reference: one of the `engine`'s recipes, which makes the probe too, or a former version of one. */
  readonly engineId: string;
  /** The scanned person's template, `Float32Array[dimension]`. Only read; the caller wipes it. */
  readonly reference: Float32Array;
  /** Minimum cosine of a match for a frontal face. */
  readonly matchThreshold: number;
  readonly direction: TurnDirection;
  /** The check after the first match. Default: the head turn. */
  readonly active?: ActiveCheck;
  /** Whether staff watch. Default: they do. */
  readonly attendance?: Attendance;
  /** Called once with a function to call when staff at the device confirm the person. */
  readonly onStaffAsked?: (confirm: () => void) => void;
  /** Draws a sequence from a CSPRNG. Default: no light challenge; it also needs a camera with a light. */
  readonly drawLight?: () => LightSequence;
  readonly camera: Camera;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Aborting ends the attempt as cancelled. */
  readonly signal?: AbortSignal;
  /** For evaluation: the result of each frame, with scores. Not set on devices. */
  readonly onFrame?: (frame: WatchedFrame) => void;
}

export interface AttemptReport {
  readonly verdict: Verdict;
  readonly light: Protections['light'];
  readonly witness: Protections['witness'];
  readonly timings: VerificationTimings;
  readonly counts: VerificationCounts;
}

const TICK_MS = 100;

const FINISHED = Symbol('finished');

type Compare = Extract<AttemptEffect, { readonly type: 'compare' }>;

/**
 * Runs one attempt: feeds frames through the engine into the state machine and carries out its effects. Always
 * resolves. No frame, landmark, embedding or score outlives it, apart from `onFrame` calls.
 */
export async function runAttempt(input: AttemptInput): Promise<AttemptReport> {
  const driver = new AttemptDriver(input);
  return driver.run();
}

class AttemptDriver {
  readonly #input: AttemptInput;
  readonly #setup: Setup;
  readonly #reader: FrameReader;
  readonly #watch: LivenessWatch;
  readonly #probe: FusedProbe;
  readonly #light: LightSession | null;
  readonly #stop = new AbortController();
  readonly #openedAtMs: number;
  readonly #finished: Promise<typeof FINISHED>;
  #resolveFinished: () => void = () => undefined;
  #state: AttemptState;
  /** Maps the camera's clock to the attempt's, from the first frame on. */
  #clockOffsetMs: number | null = null;
  #firstFrameAtMs: number | null = null;
  #lastFrameAtMs = Number.NEGATIVE_INFINITY;
  #stopLight: () => void = () => undefined;
  #counts = { framesAnalysed: 0, framesSkipped: 0, framesUnscorable: 0, embeddings: 0 };

  constructor(input: AttemptInput) {
    this.#input = input;
    this.#reader = new FrameReader(input.engine, input.passiveLiveness);
    this.#watch = new LivenessWatch(input.passiveLiveness);
    this.#probe = new FusedProbe(input.engine.core, STANDARD_POLICY.fusion.maxFrames);
    this.#openedAtMs = input.clock.monotonicMs();
    this.#finished = new Promise((resolve) => {
      this.#resolveFinished = () => resolve(FINISHED);
    });
    const { active = 'head-turn', attendance = 'staffed', direction, passiveLiveness, camera, drawLight } = input;
    const isLightAsked = camera.light !== undefined && drawLight !== undefined;
    const passive = passiveLiveness?.calibration ?? null;
    this.#setup = { active, direction, passive, lightAsked: isLightAsked, attendance };
    const opened = openAttempt(this.#setup);
    this.#state = opened.state;
    const isRefused = this.#isRefused(0);
    this.#light = isLightAsked && !isRefused ? new LightSession(camera.light, drawLight) : null;
    if (!isRefused) this.#carryOut(opened.effects);
  }

  async run(): Promise<AttemptReport> {
    const { camera, signal } = this.#input;
    const cancel = () => this.#send({ type: 'cancelled', atMs: this.#endedAtMs() });
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
    this.#input.onStaffAsked?.(() => void this.#send({ type: 'confirmed', atMs: this.#presentMs() }));
    const stopTicking = camera.timing === 'recorded' ? () => undefined : this.#tick();
    let source: FrameSource | null = null;
    try {
      if (!this.#isRefused(0)) {
        source = openFrameSource(camera, this.#input.timers, this.#stop.signal);
        await this.#look(source);
      }
    } catch (error) {
      this.#send({ type: 'failed', atMs: this.#nowMs(), cause: cameraCause(error) });
    } finally {
      stopTicking();
      signal?.removeEventListener('abort', cancel);
      this.#stop.abort();
      source?.close();
      this.#reader.dispose();
      this.#probe.clear();
      this.#stopLight();
      this.#light?.end();
    }
    return this.#report(source?.dropped ?? 0);
  }

  async #look(source: FrameSource): Promise<void> {
    while (this.#state.name !== 'finished') {
      // Raced, so that a hanging camera cannot delay a verdict.
      const coming = source.next();
      const frame = await Promise.race([coming, this.#finished]);
      if (frame === FINISHED) {
        coming.then((late) => late && releaseFrame(late)).catch(() => undefined);
        return;
      }
      if (frame === null) {
        this.#send({ type: 'ended', atMs: this.#endedAtMs() });
        continue;
      }
      try {
        if (this.#isNews(frame)) await this.#analyse(frame);
        else this.#counts.framesSkipped += 1;
      } finally {
        releaseFrame(frame);
      }
    }
  }

  /** Where nobody watches, only the frames of a real camera count. */
  #isRefused(atMs: number): boolean {
    const { attendance, camera } = this.#input;
    const isUnproven = attendance === 'unattended' && camera.origin !== 'device';
    if (isUnproven) this.#send({ type: 'failed', atMs, cause: 'camera-unproven' });
    return isUnproven;
  }

  /** Of the light. */
  #isEvidence(event: AttemptEvent): boolean {
    if (this.#setup.attendance !== 'unattended') return true;
    return event.type === 'face' && isLightEvidence(event, this.#setup);
  }

  #isNews({ timestampMs }: CameraFrame): boolean {
    if (!Number.isFinite(timestampMs)) return false;
    return this.#clockOffsetMs === null || timestampMs + this.#clockOffsetMs > this.#lastFrameAtMs;
  }

  async #analyse(frame: CameraFrame): Promise<void> {
    this.#clockOffsetMs ??= this.#nowMs() - frame.timestampMs;
    const atMs = frame.timestampMs + this.#clockOffsetMs;
    this.#lastFrameAtMs = atMs;
    // Again, since a browser knows what its track is once the camera is open.
    if (this.#isRefused(atMs)) return;
    if (this.#firstFrameAtMs === null) {
      this.#firstFrameAtMs = atMs;
      // Sent before processing, so that a slow engine does not look like a camera without frames.
      this.#send({ type: 'frame', atMs });
    }
    // On a recorded camera all times are the frames', the light's too.
    if (this.#input.camera.timing === 'recorded') this.#light?.advance(atMs);
    let image: EngineImage | null = null;
    try {
      image = this.#input.engine.open(frame.image);
      const reading = await this.#reader.read(image, atMs);
      const { event, face } = reading;
      this.#counts.framesAnalysed += 1;
      if (event.type === 'face' && event.passive === null && this.#input.passiveLiveness !== null) {
        this.#counts.framesUnscorable += 1;
      }
      if (face !== null && this.#isEvidence(event)) this.#light?.observe(frame.image, face, atMs);
      this.#input.onFrame?.(this.#watch.watch(reading, frame.timestampMs));
      const comparison = this.#send(event);
      if (comparison !== null && face !== null) {
        const matched = await this.#compare(image, face, comparison);
        // A busy engine delays timers, which would miss the end of the window.
        if (this.#input.camera.timing !== 'recorded') this.#send({ type: 'tick', atMs: this.#nowMs() });
        this.#send({ type: 'compared', atMs, matched });
      }
      const verdict = this.#light?.verdict(this.#presentMs()) ?? null;
      if (verdict !== null) this.#send({ type: 'lit', atMs: this.#presentMs(), verdict });
    } catch (error) {
      const cause = FaceError.is(error) && error.code === 'image-invalid' ? 'camera-failed' : 'engine-failed';
      this.#send({ type: 'failed', atMs, cause });
    } finally {
      image?.dispose();
    }
  }

  async #compare(image: EngineImage, face: FaceAnalysis, { pose, probe: of }: Compare): Promise<boolean> {
    const { engine, reference } = this.#input;
    const { engineId, turnedMargin, matchThreshold } = this.#recipe();
    const threshold = pose === 'frontal' ? matchThreshold : matchThreshold - turnedMargin;
    this.#counts.embeddings += 1;
    const template = await engine.embed(image, face, { engineId });
    if (of === 'frame') {
      try {
        return engine.core.cosine(template, reference) >= threshold;
      } finally {
        template.fill(0);
      }
    }
    if (of === 'first') this.#probe.clear();
    try {
      this.#probe.add({ template, weight: probeWeight(face) }, matchThreshold - turnedMargin);
      return this.#probe.cosine(reference) >= threshold;
    } finally {
      // The attempt may have ended meanwhile.
      this.#forgetFrames();
    }
  }

  /** The recipe of the probe, with the threshold that holds for this reference. */
  #recipe(): EngineRecipe {
    const { engine, engineId, matchThreshold } = this.#input;
    const recipe = recipeFor(engine.recipes, engineId);
    if (recipe === undefined) throw new FaceError('model-missing', 'there is no engine for this reference');
    const former = recipe.former.find((version) => version.engineId === engineId);
    // The list's threshold was measured within the former version; the higher of the two holds.
    return { ...recipe, matchThreshold: Math.max(matchThreshold, former?.matchThreshold ?? 0) };
  }

  /** Wipes earlier frames once no comparison needs them. */
  #forgetFrames(): void {
    if (!gathers(this.#state)) this.#probe.clear();
  }

  /** @returns the requested comparison, or null */
  #send(event: AttemptEvent): Compare | null {
    const { state, effects } = transition(this.#state, event);
    this.#state = state;
    this.#forgetFrames();
    return this.#carryOut(effects);
  }

  #carryOut(effects: readonly AttemptEffect[]): Compare | null {
    let comparing: Compare | null = null;
    for (const effect of effects) {
      if (effect.type === 'compare') comparing = effect;
      else if (effect.type === 'finish') this.#resolveFinished();
      else if (effect.type === 'light') this.#beginLight();
      else if (effect.type === 'rest') this.#dropLight();
      else {
        try {
          this.#input.camera.prompt(effect.prompt);
        } catch {
          // A failing screen does not affect the result.
        }
      }
    }
    return comparing;
  }

  #beginLight(): void {
    this.#stopLight();
    this.#light?.begin(this.#presentMs());
    if (this.#input.camera.timing !== 'recorded') this.#keepLight();
  }

  #dropLight(): void {
    this.#stopLight();
    this.#light?.drop();
  }

  #keepLight(): void {
    const waitMs = this.#light?.advance(this.#nowMs()) ?? null;
    if (waitMs !== null) this.#stopLight = this.#input.timers.after(waitMs, () => this.#keepLight());
  }

  #presentMs(): number {
    return this.#input.camera.timing === 'recorded' ? this.#lastFrameAtMs : this.#nowMs();
  }

  #tick(): () => void {
    let cancel = () => {};
    const next = () => {
      cancel = this.#input.timers.after(TICK_MS, () => {
        this.#send({ type: 'tick', atMs: this.#nowMs() });
        if (this.#state.name !== 'finished') next();
      });
    };
    next();
    return () => cancel();
  }

  #nowMs(): number {
    return Math.max(0, this.#input.clock.monotonicMs() - this.#openedAtMs);
  }

  /** On a recorded camera time is that of the frames. */
  #endedAtMs(): number {
    return this.#firstFrameAtMs === null || this.#input.camera.timing !== 'recorded'
      ? this.#nowMs()
      : this.#lastFrameAtMs;
  }

  #report(droppedFrames: number): AttemptReport {
    const { framesAnalysed, framesSkipped, framesUnscorable, embeddings } = this.#counts;
    const finished = this.#state;
    if (finished.name !== 'finished') throw new Error('an attempt ended without a verdict');
    return {
      verdict: finished.verdict,
      light: this.#light === null ? 'off' : lightProtection(finished.facts?.light ?? null),
      witness: finished.verdict.outcome === 'Match' && finished.facts !== null ? witnessOf(finished.facts) : null,
      timings: timingsOf(finished, this.#nowMs(), this.#firstFrameAtMs),
      counts: {
        framesAnalysed,
        framesDropped: framesSkipped + droppedFrames,
        framesUnscorable,
        embeddings,
        detections: this.#reader.detections,
      },
    };
  }
}

function timingsOf(finished: FinishedState, totalMs: number, firstFrameAtMs: number | null): VerificationTimings {
  const { facts, finishedAtMs } = finished;
  const span = (
    from: keyof Pick<Facts, 'startedAtMs' | 'lightEnteredAtMs' | 'turnEnteredAtMs' | 'returnEnteredAtMs'>,
    to: number | null,
  ) => {
    const start = facts?.[from] ?? null;
    return start === null ? null : Math.round((to ?? finishedAtMs) - start);
  };
  return {
    totalMs: Math.round(totalMs),
    cameraStartMs: firstFrameAtMs === null ? null : Math.round(firstFrameAtMs),
    attemptMs: span('startedAtMs', null),
    frontalMs: span('startedAtMs', facts?.lightEnteredAtMs ?? facts?.turnEnteredAtMs ?? null),
    lightMs: span('lightEnteredAtMs', facts?.turnEnteredAtMs ?? facts?.returnEnteredAtMs ?? null),
    turnMs: span('turnEnteredAtMs', facts?.returnEnteredAtMs ?? null),
    returnMs: span('returnEnteredAtMs', null),
  };
}

function cameraCause(error: unknown): 'camera-denied' | 'camera-failed' {
  return error instanceof Error && error.name === 'NotAllowedError' ? 'camera-denied' : 'camera-failed';
}
