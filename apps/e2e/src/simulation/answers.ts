import { parseEnvelope } from '@svc/core/pack';
import { type SyncManifest, syncManifestSchema } from '@svc/protocol';
import { servedPeople, type TrueList, type TruePerson, type Truth } from './truth.ts';
import { promise } from './violation.ts';
import type { Answer } from './witness.ts';

const SENT = ['nothing', 'pack', 'changes'] as const;

/** What an envelope says. Whom it speaks of follows from what is true of the list at this moment. */
export function answerOf(envelope: Uint8Array, list: TrueList | undefined, nowMs: number): Answer {
  const { manifest: bytes, payloadKind } = parseEnvelope(envelope);
  const manifest: SyncManifest = syncManifestSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  const isKept = manifest.command === 'keep' && list !== undefined;
  const people = isKept ? servedPeople(list, nowMs) : new Map<string, TruePerson>();
  return { manifest, people, sent: SENT[payloadKind], isStale: false };
}

/** @throws Violation where a device is told something else than what is true */
export function checkAnswer(
  { manifest, people }: Answer,
  device: { readonly deviceId: string; readonly listId: string },
  truth: Truth,
  nowMs: number,
): void {
  const list = truth.lists.get(device.listId);
  const mustWipe =
    list === undefined ||
    truth.revoked.has(device.deviceId) ||
    truth.suspended.has(list.account) ||
    (list.deadlineMs !== null && list.deadlineMs <= nowMs);
  promise((manifest.command === 'wipe') === mustWipe, `«${manifest.command}» is what a device is told`);
  if (manifest.command === 'wipe') return;
  promise(manifest.deviceId === device.deviceId && manifest.listId === device.listId, 'to each his own list');
  promise(manifest.recordCount === people.size, `${people.size} people are served, and not ${manifest.recordCount}`);
  const deadline = list?.deadlineMs ?? null;
  promise(
    manifest.retentionDeadline === (deadline === null ? null : new Date(deadline).toISOString()),
    'the deadline is told',
  );
  promise(manifest.enrollmentClosed === list?.isClosed, 'whether enrolment is closed is told');
}
