import type { AttemptInput } from './run-attempt.ts';

// Compiled by `typecheck` alone: whose reference it is, and from what cosine on it matches, are told together.
declare const input: AttemptInput;
const { engineId: _engine, ...withoutEngine } = input;
const { matchThreshold: _threshold, ...withoutThreshold } = input;

// @ts-expect-error an attempt that does not say which engine made the reference
export const noEngine: AttemptInput = withoutEngine;
// @ts-expect-error an attempt without a threshold
export const noThreshold: AttemptInput = withoutThreshold;
