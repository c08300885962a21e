import { expect, it } from 'vitest';
import { systemRandom } from '../../platform/ports.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { createGuestService } from './guests.ts';
import { createEnrolmentLinkService } from './links.ts';

const begun: string[] = [];
const ends: (() => void)[] = [];
/** Whether all people of a list have the pseudonyms of their tickets, as each look tells. */
const looks: boolean[] = [];
const list = ({ accountId }: { readonly accountId: string }) => ({ accountId, listId: 'lst_1' });
const o = {
  ...{ keyRing: { unwrapAccountKey: async () => new Uint8Array(32) }, clock: { now: () => 0 }, random: systemRandom },
  ...{ lists: { get: async (caller: AccountCaller) => list(caller) }, people: { termsOf: async () => ({}) } },
  store: {
    counts: async ({ accountId }: AccountCaller) => {
      begun.push(accountId);
      await new Promise<void>((resolve) => ends.push(resolve));
      return [];
    },
    fillTickets: async () => looks.shift() ?? true,
    unfilledLists: async () => ['one', 'two'].map((accountId) => list({ accountId })),
  },
};
const links = createEnrolmentLinkService(o as never);
const guests = createGuestService({ ...o, links } as never);
const read = (accountId: string) => guests.summary({ accountId } as AccountCaller, 'lst_1');

it('guests are read two at once, and those of one account do not keep another waiting for all of them', async () => {
  const all = Promise.all(['one', 'one', 'one', 'one', 'one', 'two'].map(read));
  for (const expected of ['one,one', 'one,one,one,two', 'one,one,one,one,one,two']) {
    await expect.poll(() => begun.toSorted().join(), { interval: 1 }).toBe(expected);
    for (const end of ends.splice(0)) end();
  }
  expect(await all).toHaveLength(6);
});

it('a reading prepares some people of earlier versions, and leaves the others to the job', async () => {
  looks.push(false, false, true, true);
  await expect(read('one')).rejects.toMatchObject({ code: 'not-ready' });
  expect(looks).toHaveLength(3);
  await links.fillTickets();
  expect(looks).toEqual([]);
});
