import type { ListRecord } from './store.ts';

/** True once nobody may be enrolled because the list is over: ended by its owner, or past its deadline. */
export function hasEnded(list: Pick<ListRecord, 'endedAt' | 'retentionDeadline'>, nowMs: number): boolean {
  return list.endedAt !== null || (list.retentionDeadline !== null && list.retentionDeadline.getTime() <= nowMs);
}
