// A module of its own: the widget's page needs it, and none of the table of errors, which no bundler would leave out.
import type { ErrorCode } from './errors.ts';

/** Why a photo cannot be used: too poor for the engine, or not an image. Each costs a guest an attempt. */
export const photoRefusals = [
  'image-invalid',
  'no-face',
  'several-faces',
  'face-too-small',
  'too-dark',
  'too-bright',
  'blurred',
  'turned-away',
  'covered',
  'photo-not-live',
] as const satisfies readonly ErrorCode[];
export type PhotoRefusal = (typeof photoRefusals)[number];
