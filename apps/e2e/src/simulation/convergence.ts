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
 * Mends a device and has it sync: then it lets in exactly those whom the service has, and what was to go is gone. A
 * device of a list that is gone, or that was revoked, is added again.
 * @throws Violation
 */
export async function converge(parts: Parts, machine: SimulatedDevice): Promise<void> {
  const { service, steps } = parts;
  await mend(machine);
  promise(machine.device !== null, 'a device on a healthy disk starts');
  // What has rotted is found by reading it, and brought again by the sync after that.
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

/** @returns whether it has the list as it is now */
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
  // What it took before, at this very moment, may be gone again by its own clock.
  return isTaken && told !== null && Date.parse(told.manifest.issuedAt) === time.now();
}

/** The device has exactly the service's people. */
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
