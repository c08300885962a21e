import { Machine } from '@svc/page-kit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { at } from '../testing/sample-states.ts';
import { transition } from '../view-model/transition.ts';
import { watchConnection } from './connection-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function startWatch() {
  const page = { document: { hidden: false }, navigator: { onLine: true }, window: new EventTarget() };
  const service = { isThere: true, asked: 0 };
  const machine = new Machine({ initial: at({ name: 'door' }), transition, carryOut: () => undefined });
  const reach = () => {
    service.asked += 1;
    // Without an answer only the time limit ends the request.
    return service.isThere
      ? Promise.resolve(true)
      : new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 2_000));
  };
  watchConnection(machine, reach, page as unknown as Parameters<typeof watchConnection>[2]);
  return { machine, page, service };
}

it('a service that stops to answer is noticed within five seconds, its return within half a minute', async () => {
  const { machine, service } = startWatch();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(machine.state.reachable).toBe(true);
  service.isThere = false;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(machine.state.reachable).toBe(false);
  // Less often while there is no answer.
  service.asked = 0;
  await vi.advanceTimersByTimeAsync(300_000);
  expect(service.asked).toBeLessThan(15);
  service.isThere = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(machine.state.reachable).toBe(true);
});

it('a link that the browser reports as lost is noticed at once, and its return is checked at once', async () => {
  const { machine, page, service } = startWatch();
  page.navigator.onLine = false;
  page.window.dispatchEvent(new Event('offline'));
  expect(machine.state.reachable).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.asked).toBe(0);
  page.navigator.onLine = true;
  page.window.dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(1);
  expect(machine.state.reachable).toBe(true);
});

it('asks about twenty times a minute at a door in use, and once a minute where nobody comes', async () => {
  const { service, page } = startWatch();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.asked).toBe(20);
  await vi.advanceTimersByTimeAsync(600_000);
  service.asked = 0;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(service.asked).toBe(10);
  page.window.dispatchEvent(new Event('pointerdown'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.asked).toBeGreaterThan(25);
});

it('asks nothing during an attempt and in a hidden page', async () => {
  const { machine, page, service } = startWatch();
  machine.dispatch({ type: 'scanned', scannedId: 'ticket' });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(service.asked).toBe(0);
  machine.dispatch({ type: 'cancel-pressed' });
  page.document.hidden = true;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(service.asked).toBe(0);
});
