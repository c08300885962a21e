import { createSeededRandom } from '@svc/api/testing';
import { HOUR_MS, MINUTE_MS } from '@svc/protocol';
import { expect, inject, it } from 'vitest';
import { Evening, type EveningDoor } from './evening.ts';

const GUESTS = Number(process.env.SVC_TEST_EVENING_GUESTS ?? 1_400);
/** Guests of a hundred who come to each door. */
const SHARES = [34, 30, 20, 10, 5, 1];
const STEPS = 36;
const kinds = ['admitted', 'toStaff', 'notEnrolled'] as const;
type Kind = (typeof kinds)[number];
type Answer = Awaited<ReturnType<Evening['node']['arrivals']['read']>>;

/** Each number of an answer by what it is about. */
function cellsOf({ totals, doors, buckets }: Answer): ReadonlyMap<string, number> {
  const rows = [
    { of: 'all', ...totals },
    ...doors.map((door) => ({ of: door.deviceId, ...door })),
    ...buckets.map((bucket) => ({ of: bucket.startsAt.toISOString(), ...bucket })),
  ];
  return new Map(rows.flatMap((row) => kinds.map((kind) => [`${row.of} ${kind}`, row[kind]] as const)));
}

it(`${GUESTS} guests at six doors, of which two are offline and one is killed, are counted once and told by fives`, async () => {
  const random = createSeededRandom(7);
  await Evening.during(inject('postgres'), { arrivals: 'counts' }, async (evening) => {
    const { time, node, account, listId } = evening;
    const doors: EveningDoor[] = [];
    for (const [i] of SHARES.entries()) doors.push(await evening.addDoor(`Door ${i + 1}`));
    for (const door of doors) expect(await door.sync()).toMatchObject({ ok: true });
    /** What each door has to count: of each ticket the best that became of it. */
    const expected = doors.map(() => new Map<string, Kind>());
    const read = () => node.arrivals.read(account, listId);
    const [first, second, last] = [doors[0], doors[1], doors[4]] as [EveningDoor, EveningDoor, EveningDoor];
    let kills = 0;
    let before: ReadonlyMap<string, number> = new Map();

    async function come(ticket: string): Promise<void> {
      const lot = random.between(0, 99);
      const at = SHARES.findIndex((_, i) => lot < SHARES.slice(0, i + 1).reduce((sum, share) => sum + share, 0));
      const [door, told] = [doors[at] as EveningDoor, expected[at] as Map<string, Kind>];
      const fate = random.between(0, 99);
      if (fate < 10) {
        for (let tries = 0; tries < 2; tries += 1) await (await door.running()).turnAway(ticket, 'notEnrolled');
        told.set(ticket, 'notEnrolled');
      } else if (fate < 15) {
        for (let tries = 0; tries < 3; tries += 1) await (await door.running()).turnAway(ticket, 'toStaff');
        told.set(ticket, 'toStaff');
      }
      if (fate >= 12) {
        // Before anything of it is written, and when all of it is: the guest tries again.
        if (door === first && kills < 2 && told.size >= 200 * (kills + 1)) {
          expect(await door.killIn(() => door.admit(ticket), kills)).toBe(true);
          kills += 1;
        }
        await door.admit(ticket);
        if (fate > 97) await door.admit(ticket);
        told.set(ticket, 'admitted');
        if (fate === 50) {
          expect(await (await door.running()).takeBack(ticket)).toBe(true);
          told.delete(ticket);
        }
      }
    }

    for (let step = 0; step < STEPS; step += 1) {
      for (const door of [second, last]) door.isOffline = step >= 10 && step < 22;
      for (let guest = 0; guest * STEPS < GUESTS; guest += 1) await come(`ticket-${step}-${guest}`);
      time.advance(5 * MINUTE_MS);
      for (const door of doors) {
        expect((await door.sync()).ok).toBe(!door.isOffline);
        const answer = await read();
        expect(answer.exact).toBe(false);
        const now = cellsOf(answer);
        const steps = [...now].map(([cell, number]) => number - (before.get(cell) ?? 0));
        expect(steps.filter((grown) => grown !== 0 && grown < 5)).toEqual([]);
        before = now;
      }
    }
    time.advance(2 * HOUR_MS + 5 * MINUTE_MS);
    const { exact, totals, doors: told, buckets } = await read();
    const countOf = (of: ReadonlyMap<string, Kind>, kind: Kind) =>
      [...of.values()].filter((one) => one === kind).length;
    const byDoor = doors.map(({ deviceId }, i) => {
      const [admitted = 0, toStaff = 0, notEnrolled = 0] = kinds.map((kind) => countOf(expected[i] ?? new Map(), kind));
      return { deviceId, admitted, toStaff, notEnrolled };
    });
    expect([exact, kills]).toEqual([true, 2]);
    expect([...told].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1))).toMatchObject(
      byDoor.sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1)),
    );
    for (const kind of kinds) {
      const sum = byDoor.reduce((all, door) => all + door[kind], 0);
      expect(totals[kind]).toBe(sum);
      // Times stay in steps: of each door up to four are in none.
      const byTime = buckets.map((bucket) => bucket[kind]);
      expect(byTime.filter((number) => number > 0 && number < 5)).toEqual([]);
      expect(byTime.reduce((all, number) => all + number, 0)).toBeLessThanOrEqual(sum);
    }
  });
}, 120_000);
