import type { WebhookEventType, WipeReason } from '@svc/protocol';

interface Happened<Type extends WebhookEventType, Data> {
  readonly type: Type;
  readonly accountId: string;
  /** Becomes `data` of the notification as it is; times are ISO 8601 texts. */
  readonly data: Readonly<Data>;
}

/** By its owner, with its deletion, or because its time was over. */
export type ListEndReason = 'ended' | 'deleted' | 'retention-deadline';

/** What happens to a list or a device: nothing of it is about a person. */
export type ListOrDeviceEvent =
  | Happened<'list.closed', { listId: string }>
  | Happened<'list.ended', { listId: string; reason: ListEndReason }>
  | Happened<'device.added', { listId: string; deviceId: string }>
  | Happened<'device.revoked', { listId: string; deviceId: string }>
  | Happened<'device.synced-late', { listId: string; deviceId: string; lastSyncAt: string; syncedAt: string }>
  | Happened<'device.wipe-sent', { listId: string; deviceId: string; reason: WipeReason }>;

/** What happens to a person: `personId` and `ticketId` are the organiser's own identifiers. */
export type PersonEvent =
  | Happened<'person.enrolled', { listId: string; personId: string; modelId: string; deleteAfter: string }>
  | Happened<'person.declined', { eventId: string; listId: string; ticketId: string }>
  | Happened<
      'person.deleted',
      { listId: string; personId: string; reason: 'erased' | 'consent-withdrawn' | 'expired' }
    >;
