import { ONGOING_WINDOW_MS, type SentAdmission } from '@svc/protocol/sync';
import type { HeldList } from '../trust/trust-state.ts';
import { type Arrivals, NO_ARRIVALS } from './arrivals.ts';

export const TAG_BYTES = 16;

/** A person who was let in. Times are milliseconds since 1970 by the trusted clock. */
export interface Admission {
  /** {@link TAG_BYTES} bytes, a character each: an HMAC of the personId under a key of the log, the same in every epoch. */
  readonly tag: string;
  readonly atMs: number;
  /** Deadline of the person's record. */
  readonly deleteAfterMs: number;
}

export type CheckInType = 'person.checked-in' | 'person.check-in-taken-back';

/** A message to the organiser's server that has not been accepted yet. */
export interface QueuedCheckIn {
  /** `webhook-id`, the same at every attempt. */
  readonly id: string;
  /** Order of delivery, ascending. */
  readonly sequence: number;
  readonly type: CheckInType;
  readonly personId: string;
  readonly atMs: number;
  readonly checkedInAtMs: number;
  readonly again: boolean;
  /** Deadline of the person's record, when the message is deleted undelivered. */
  readonly deleteAfterMs: number;
}

/** An admission or its end, of which the service has not heard. Its tag is that of the list, in base64url. */
export interface UnsentAdmission extends Admission {
  readonly sequence: number;
  readonly kind: SentAdmission['kind'];
}

/** An admission by another device of the list. Its tag is that of the list, in base64url. */
export interface LearntAdmission extends Admission {
  readonly door: string;
}

/** What is shared with other devices. */
interface Shared {
  readonly unsent: readonly UnsentAdmission[];
  readonly learnt: readonly LearntAdmission[];
}

/** A part of the log: the admissions of some people, what is still to be told of them, how they are counted, and what others told. */
export interface Page extends Shared {
  readonly admissions: readonly Admission[];
  readonly queued: readonly QueuedCheckIn[];
  readonly arrivals: Arrivals;
}

export const EMPTY_PAGE: Page = { admissions: [], queued: [], arrivals: NO_ARRIVALS, unsent: [], learnt: [] };

export const isEmpty = ({ admissions, queued, ...rest }: Page): boolean =>
  admissions.length + queued.length === 0 && !hasMore(rest);

const hasMore = ({ arrivals: { seen, buckets }, unsent, learnt }: Omit<Page, 'admissions' | 'queued'>): boolean =>
  seen.length + buckets.length + unsent.length + learnt.length > 0;

/** With the queue alone, and with more. */
const FORMATS = [1, 2];
const HEAD_BYTES = 5;
const ADMISSION_BYTES = TAG_BYTES + 16;

/**
 * Format (u8), number of admissions (u32), each admission (tag, time and deadline as float64), and as JSON the queue, or
 * all but the admissions, which padding of zeros follows.
 * @param sizeOf the length of the result for a given length
 */
export function encodePage(page: Page, sizeOf: (bytes: number) => number): Uint8Array {
  const { admissions, ...more } = page;
  const isMore = hasMore(more);
  const json = new TextEncoder().encode(JSON.stringify(isMore ? more : more.queued));
  const jsonStart = HEAD_BYTES + admissions.length * ADMISSION_BYTES;
  const bytes = new Uint8Array(sizeOf(jsonStart + json.length));
  const view = new DataView(bytes.buffer);
  bytes[0] = isMore ? 2 : 1;
  view.setUint32(1, admissions.length);
  admissions.forEach(({ tag, atMs, deleteAfterMs }, i) => {
    const at = HEAD_BYTES + i * ADMISSION_BYTES;
    for (let n = 0; n < TAG_BYTES; n += 1) bytes[at + n] = tag.charCodeAt(n);
    view.setFloat64(at + TAG_BYTES, atMs);
    view.setFloat64(at + TAG_BYTES + 8, deleteAfterMs);
  });
  bytes.set(json, jsonStart);
  json.fill(0);
  return bytes;
}

/** @throws Error for a page of another format */
export function decodePage(bytes: Uint8Array): Page {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!FORMATS.includes(bytes[0] ?? 0)) throw new Error('a page of another format');
  const admissions = Array.from({ length: view.getUint32(1) }, (_, i) => {
    const at = HEAD_BYTES + i * ADMISSION_BYTES;
    return {
      tag: tagText(bytes.subarray(at, at + TAG_BYTES)),
      atMs: view.getFloat64(at + TAG_BYTES),
      deleteAfterMs: view.getFloat64(at + TAG_BYTES + 8),
    };
  });
  const json = bytes.subarray(HEAD_BYTES + admissions.length * ADMISSION_BYTES);
  const end = json.indexOf(0);
  const text = new TextDecoder('utf-8', { fatal: true }).decode(end < 0 ? json : json.subarray(0, end));
  // The page is authentic: this device wrote it.
  const rest = JSON.parse(text) as readonly QueuedCheckIn[] | Partial<Omit<Page, 'admissions'>>;
  return { ...EMPTY_PAGE, admissions, ...('length' in rest ? { queued: rest } : rest) };
}

export const tagText = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

export { ONGOING_WINDOW_MS };

/** What a list says about people who come a second time. */
export interface ReEntryRule {
  readonly policy: 'off' | 'warn' | 'refuse';
  /** How long a person counts as let in; null: until the data is deleted. */
  readonly windowMs: number | null;
  /** Whether the organiser's server is told of check-ins. */
  readonly tells: boolean;
  /** At what time the first tickets are counted; null: none are. */
  readonly countsFromMs: number | null;
}

/** The rule of a list: an event's people are let in once, those of an ongoing list once in {@link ONGOING_WINDOW_MS}. */
export function reEntryRule(list: HeldList | null): ReEntryRule {
  return {
    policy: list?.reEntry ?? 'off',
    windowMs: list === null || list.retentionDeadlineMs !== null ? null : ONGOING_WINDOW_MS,
    tells: list !== null && (list.checkIn ?? null) !== null,
    countsFromMs: list?.arrivals === 'counts' ? (list.countsFromMs ?? 0) : null,
  };
}

/** Whether an admission no longer counts, so that it is deleted. */
export function isOver(
  { atMs, deleteAfterMs }: Omit<Admission, 'tag'>,
  windowMs: number | null,
  nowMs: number,
): boolean {
  return deleteAfterMs <= nowMs || (windowMs !== null && atMs + windowMs <= nowMs);
}
