import type { AttemptInput } from './run-attempt.ts';

// Checked by `typecheck` only: the reference's engine and its threshold must be given together.
declare const input: AttemptInput;
const { engineId: _engine, ...withoutEngine } = input;
const { matchThreshold: _threshold, ...withoutThreshold } = input;

// @ts-expect-error an attempt that does not say which engine made the reference
export const noEngine: AttemptInput = withoutEngine;
// @ts-expect-error an attempt without a threshold
export const noThreshold: AttemptInput = withoutThreshold;
