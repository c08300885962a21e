import type { DeviceSteps } from './device-steps.ts';
import { promise, servedPeople } from './expected-state.ts';
import { NOBODY, PEOPLE } from './history.ts';
import type { SimulatedDevice } from './simulated-device.ts';
import type { SimulatedService } from './simulated-service.ts';
import type { TrueTime } from './true-time.ts';

interface Parts {
  readonly service: SimulatedService;
  readonly time: TrueTime;
  readonly steps: DeviceSteps;
}

/**
 * Repairs a device and syncs it: it must then accept exactly the service's people, and hold nothing that had to be
 * deleted. A device that was revoked, or whose list is gone, is added again.
 * @throws Violation
 */
export async function converge(parts: Parts, machine: SimulatedDevice): Promise<void> {
  const { service, steps } = parts;
  await mend(machine);
  promise(machine.device !== null, 'a device on a healthy disk starts');
  // Rotten data is detected when read, and fetched by the sync after that.
  const tries = machine.checker.isTroubled || machine.checker.isMisled ? 3 : 1;
  let isDone = false;
  for (let nth = 0; nth < tries && !isDone; nth += 1) isDone = await isCurrent(parts, machine);
  if (!isDone) {
    const role = await service.addDevice(0);
    if (role === null) return;
    await steps.become(machine, role);
    promise(await isCurrent(parts, machine), 'a device that was added again has the list');
  }
  await compare(parts, machine);
}

async function mend(machine: SimulatedDevice): Promise<void> {
  [machine.disk.isFull, machine.disk.failures] = [false, 0];
  machine.switchOff('power');
  machine.setClock(0);
  await machine.switchOn();
}

/** @returns whether it has the current list */
async function isCurrent({ service, time, steps }: Parts, machine: SimulatedDevice): Promise<boolean> {
  const isTaken = await steps.sync(machine, 'good');
  await steps.look(machine);
  const { expected } = service;
  const { deviceId, listId, token } = machine.role;
  if (!expected.lists.has(listId) || !expected.devices.has(token)) return false;
  const { told, wiped } = machine.checker;
  if (expected.revoked.has(deviceId)) {
    const erased = machine.device?.status().erased ?? null;
    promise(wiped !== null || erased !== null, 'a revoked device is wiped');
    return false;
  }
  // What it took at this very moment may already be over by its own clock.
  return isTaken && told !== null && Date.parse(told.manifest.issuedAt) === time.now();
}

/** Checks that the device has exactly the service's people. */
async function compare({ service, time, steps }: Parts, machine: SimulatedDevice): Promise<void> {
  const { device, checker } = machine;
  const list = service.expected.lists.get(machine.role.listId);
  if (device === null || list === undefined) return;
  const served = servedPeople(list, time.now());
  const own = await service.people(list);
  for (const personId of served.keys()) promise(own.has(personId), 'whoever is served is on the list');
  if (!checker.mayHaveDropped(time.now())) {
    promise(device.status().people === served.size, 'everybody is on the device, and nobody else');
  }
  for (const personId of [...PEOPLE, NOBODY]) await steps.scan(machine, personId);
}
