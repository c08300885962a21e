import { createSeededRandom } from '@svc/api/testing';
import { MINUTE_MS } from '@svc/protocol';
import { expect, inject, it } from 'vitest';
import { Evening, type EveningDoor } from './evening.ts';

const TICKETS = 150;

it('a ticket that is shown at two doors is let in once wherever the second could know, and else told to both', async () => {
  const random = createSeededRandom(11);
  const settings = { reEntry: 'refuse', reEntryScope: 'list' } as const;
  await Evening.during(inject('postgres'), settings, async (evening) => {
    const doors: EveningDoor[] = [];
    for (let i = 0; i < 4; i += 1) doors.push(await evening.addDoor(`Door ${i}`));
    for (const door of doors) expect(await door.sync()).toMatchObject({ ok: true });
    /** What the service has heard of, and each door of it or by itself. */
    const heard = new Set<string>();
    const known = doors.map(() => new Set<string>());
    const untold = doors.map(() => new Set<string>());
    const both = new Map<string, readonly number[]>();
    const seen = { admitted: 0, refused: 0, alone: 0, killed: 0 };
    const knownAt = (at: number) => known[at] ?? new Set<string>();
    const untoldAt = (at: number) => untold[at] ?? new Set<string>();

    /** What a door and the service hear of each other in one exchange. */
    function exchanged(at: number): void {
      const { isOffline, isDeaf } = doors[at] as EveningDoor;
      if (isOffline) return;
      for (const ticket of untoldAt(at)) heard.add(ticket);
      if (isDeaf) return;
      untoldAt(at).clear();
      for (const ticket of heard) knownAt(at).add(ticket);
    }

    async function show(ticket: string, at: number, first: number | null): Promise<void> {
      const door = doors[at] as EveningDoor;
      const isReached = !door.isOffline && !door.isDeaf;
      if (isReached && first === null && random.between(0, 9) === 0) {
        seen.killed += Number(await door.killIn(() => door.admit(ticket), random.between(0, 4)));
        await door.sync();
        exchanged(at);
      }
      const knows = knownAt(at).has(ticket);
      if (!knows) exchanged(at);
      const isRefused = knows || (isReached && knownAt(at).has(ticket));
      const entry = await door.admit(ticket);
      seen[entry?.kind ?? 'alone'] += 1;
      // A program that was killed may have been the first to let the person in, without a word of it.
      if (first !== null || entry?.kind === 'admitted') {
        expect([entry?.kind, ticket, at], `${first}`).toEqual([isRefused ? 'refused' : 'admitted', ticket, at]);
      }
      if (entry?.kind === 'admitted') {
        expect(entry.sharing).toBe(isReached ? 'together' : 'alone');
        seen.alone += Number(!isReached);
        if (first !== null) both.set(ticket, [first, at]);
        if (!isReached) untoldAt(at).add(ticket);
      }
      knownAt(at).add(ticket);
      if (!door.isOffline) heard.add(ticket);
    }

    for (let i = 0; i < TICKETS; i += 1) {
      const [first, second] = [random.between(0, 3), random.between(0, 3)];
      const ticket = `ticket-${i}`;
      await show(ticket, first, null);
      for (const door of doors) {
        const lot = random.between(0, 19);
        [door.isOffline, door.isDeaf] = [lot === 0, lot === 1];
      }
      if (random.between(0, 3) === 0) {
        const at = random.between(0, 3);
        await (await (doors[at] as EveningDoor).running()).share();
        exchanged(at);
      }
      await show(ticket, second, first);
      evening.time.advance(MINUTE_MS / 2);
    }
    for (const door of doors) [door.isOffline, door.isDeaf] = [false, false];
    for (const door of [...doors, ...doors]) await (await door.running()).share();
    for (const [at, door] of doors.entries()) {
      const { conflicts = [] } = (await door.running()).vault.state.list?.shared ?? {};
      expect(conflicts).toHaveLength([...both.values()].filter((pair) => pair.includes(at)).length);
    }
    for (const [name, times] of Object.entries(seen)) expect(times, name).toBeGreaterThan(3);
    expect(both.size).toBeGreaterThan(3);
  });
}, 180_000);
