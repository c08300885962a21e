import { concatBytes } from '../../bytes.ts';
import { body } from './bend-payload.ts';
import { bent, flip, type HostileCase } from './hostile-case.ts';

/** Malformed envelopes. The honest one begins with 8 bytes of magic, the kind, 4 bytes of length, the manifest. */
export const envelopeCases: readonly HostileCase[] = [
  bent(
    'nothing',
    'envelope-invalid',
    body(() => new Uint8Array()),
  ),
  bent(
    'another magic',
    'envelope-invalid',
    body((bytes) => flip(bytes, 0)),
  ),
  bent(
    'a format of the future',
    'envelope-invalid',
    body((bytes) => flip(bytes, 7)),
  ),
  bent(
    'an envelope cut in its magic',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, 5)),
  ),
  bent(
    'an envelope cut in its lengths',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, 11)),
  ),
  bent(
    'an envelope cut in its manifest',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, 200)),
  ),
  bent(
    'a manifest that is longer than the body',
    'envelope-invalid',
    body((bytes) => flip(bytes, 9)),
  ),
  bent(
    'a manifest of no length',
    'envelope-invalid',
    body((bytes) => bytes.slice().fill(0, 9, 13)),
  ),
  bent(
    'a manifest above its cap',
    'envelope-invalid',
    body((bytes) => bytes.slice().fill(0x10, 10, 11)),
  ),
  bent(
    'a payload kind that is none',
    'envelope-invalid',
    body((bytes) => bytes.slice().fill(3, 8, 9)),
  ),
  bent(
    'a payload kind that was not signed',
    'signature-invalid',
    body((bytes) => bytes.slice().fill(2, 8, 9)),
  ),
  bent(
    'a payload beside «nothing follows»',
    'envelope-invalid',
    body((bytes) => bytes.slice().fill(0, 8, 9)),
  ),
  bent(
    'an envelope cut in its signature',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, bytes.length - 1)),
    { instead: 'unchanged', atFirst: null },
  ),
  bent(
    'an envelope cut before its signature',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, bytes.length - 64)),
    { instead: 'unchanged', atFirst: null },
  ),
  bent(
    'an envelope cut in its key’s name',
    'envelope-invalid',
    body((bytes) => bytes.subarray(0, bytes.length - 70)),
    { instead: 'unchanged', atFirst: null },
  ),
  bent(
    'a byte after «nothing follows»',
    'envelope-invalid',
    body((bytes) => concatBytes(bytes, Uint8Array.of(0))),
    { instead: 'unchanged', atFirst: null },
  ),
];
