import { createSeededRandom, type SeededRandom } from '@svc/api/testing';
import { ENGINE_ID, OTHER_ENGINE_ID } from '@svc/device-sdk/testing';
import { Counter, type Counts } from './counts.ts';
import { Crossing } from './crossing.ts';
import { DeviceSteps } from './device-steps.ts';
import { promise, servedPeople } from './expected-state.ts';
import { type DeviceStep, NOBODY, PEOPLE, personOf, type ServiceStep, type Step } from './history.ts';
import { SimulatedDevice } from './simulated-device.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { type Databases, FACES, REGION, SimulatedService } from './simulated-service.ts';
import { TrueTime } from './true-time.ts';

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
async function converge(parts: Parts, machine: SimulatedDevice): Promise<void> {
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

/** Runs the steps of the service. */
async function carryOutAtService(service: SimulatedService, step: ServiceStep): Promise<void> {
  switch (step.do) {
    case 'enrol':
      return service.enrol(step.list, personOf(step.person), step.face % FACES);
    case 'erase':
      return service.erase(step.list, personOf(step.person));
    case 'close':
      return service.close(step.list);
    case 'end':
      return service.end(step.list);
    case 'delete-list':
      return service.deleteList(step.list);
    case 'create-list':
      return service.createList(step.account, step.endsInMs);
    case 'move-end':
      return service.moveEnd(step.list, step.endsInMs);
    case 'suspend':
      return service.suspend(step.account);
    case 'resume':
      return service.resume(step.account);
    case 'run-jobs':
      return service.runJobs();
    case 'restart-service':
      return service.restart();
    case 'upgrade-service':
      return service.restart(true);
    case 'rotate-kek':
      return service.rotateKek();
    case 'back-up':
      return service.backUp();
    case 'restore':
      return service.restore(step.backup);
  }
}

const MOST_DEVICES = 6;

/** One service, a few devices, the network between them, and the true time. */
export class World {
  readonly #random: SeededRandom;
  readonly #time: TrueTime;
  readonly #service: SimulatedService;
  readonly #network: SimulatedNetwork;
  readonly #devices: SimulatedDevice[] = [];
  readonly #steps: DeviceSteps;
  readonly #counter = new Counter();
  /** Devices in the middle of an operation: another step would wait forever. */
  #busy: SimulatedDevice | null = null;
  /** Results of all syncs and attempts, to compare runs of the same seed. */
  readonly trace: string[] = [];

  private constructor(seed: number, time: TrueTime, service: SimulatedService) {
    this.#random = createSeededRandom(seed ^ 0x5eed);
    [this.#time, this.#service] = [time, service];
    this.#network = new SimulatedNetwork(this.#random.fork());
    this.#steps = new DeviceSteps({
      ...{ service, time, random: this.#random, counter: this.#counter },
      meanwhile: (machine, steps) => this.#while(machine, steps),
    });
  }

  static async open(seed: number, databases: Databases): Promise<World> {
    const time = new TrueTime();
    const service = await SimulatedService.open(time, createSeededRandom(seed ^ 0x5e4), databases);
    return new World(seed, time, service);
  }

  /** Counts of what happened, to show that a run tests something. */
  get seen(): Counts {
    return this.#counter.counts;
  }

  close(): Promise<void> {
    return this.#service.shutDown();
  }

  /** Runs one step and checks everything it touched. @throws Violation */
  async take(step: Step): Promise<void> {
    const touched = await this.#carryOut(step);
    for (const { crossing } of this.#devices) crossing.rethrow();
    const each = touched ?? this.#pickDevice(this.#random.between(0, 999));
    if (each !== null) await this.#steps.look(each);
  }

  /**
   * Repairs everything and syncs every device: each must then accept exactly the service's people, and hold nothing
   * that had to be deleted. @throws Violation
   */
  async converge(): Promise<void> {
    for (const account of [0, 1]) await this.#service.resume(account);
    await this.#service.restart();
    await this.#service.runJobs();
    const parts = { service: this.#service, time: this.#time, steps: this.#steps };
    for (const each of this.#devices) await converge(parts, each);
  }

  /** @returns the device of the step */
  async #carryOut(step: Step): Promise<SimulatedDevice | null> {
    if ('device' in step) return this.#carryOutOn(step);
    switch (step.do) {
      case 'wait':
        this.#time.advance(step.ms);
        return null;
      case 'add-device':
        return this.#addDevice(step.list);
      default:
        if (step.do === 'restore') this.#steps.unsettle();
        await carryOutAtService(this.#service, step);
        return null;
    }
  }

  async #carryOutOn(step: DeviceStep): Promise<SimulatedDevice | null> {
    const machine = this.#pickDevice(step.device);
    if (machine === null) return null;
    if (await this.#steps.suffer(step, machine)) return machine === this.#busy ? null : machine;
    // During an attempt only a sync may happen.
    if (machine === this.#busy && step.do !== 'sync') return null;
    await this.#steps.carryOut(step, machine);
    return machine === this.#busy ? null : machine;
  }

  async #while(machine: SimulatedDevice, steps: readonly Step[]): Promise<void> {
    this.#busy = machine;
    try {
      for (const step of steps) await this.#carryOut(step);
    } finally {
      this.#busy = null;
    }
  }

  async #addDevice(nth: number): Promise<SimulatedDevice | null> {
    if (this.#devices.length >= MOST_DEVICES) return null;
    const role = await this.#service.addDevice(nth);
    if (role === null) return null;
    const device = new SimulatedDevice({
      ...{ name: `device ${this.#devices.length}`, role, time: this.#time, region: REGION },
      random: this.#random.fork(),
      crossing: new Crossing({ network: this.#network, service: this.#service, time: this.#time }),
      note: (what) => this.trace.push(what),
      // Every second device has a release with one engine.
      engineIds: this.#devices.length % 2 === 0 ? [ENGINE_ID, OTHER_ENGINE_ID] : [ENGINE_ID],
    });
    this.#devices.push(device);
    await device.switchOn();
    return device;
  }

  #pickDevice(nth: number): SimulatedDevice | null {
    return this.#devices[nth % Math.max(1, this.#devices.length)] ?? null;
  }
}
