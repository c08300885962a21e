import { createSeededRandom, type SeededRandom } from '@svc/api/testing';
import { ENGINE_ID, OTHER_ENGINE_ID } from '@svc/device-sdk/testing';
import { promise, servedPeople } from './expected-state.ts';
import { type Cut, type DeviceStep, NOBODY, PEOPLE, personOf, type ServiceStep, type Step } from './history.ts';
import { type Role, SimulatedDevice } from './simulated-device.ts';
import { Crossing, type NetworkPlan, type SimulatedNetwork, type Way } from './simulated-network.ts';
import { type Databases, FACES, REGION, SimulatedService } from './simulated-service.ts';
import { TrueTime } from './true-time.ts';

const MOST_DEVICES = 6;
/** Reasons for which a device stops syncing. */
const GONE_FOR_GOOD = new Set(['no-sync-30-days', 'device-revoked']);
/** Crossings that pass a request and its answer unchanged. */
const TRUE_PLANS = new Set<NetworkPlan>(['good', 'duplicated']);

/** Runs a history to its end. @returns how often each kind of event was seen @throws Violation of the first broken promise */
export async function run(steps: readonly Step[], seed: number, databases: Databases) {
  const time = new TrueTime();
  const service = await SimulatedService.open(time, createSeededRandom(seed ^ 0x5e4), databases);
  try {
    const world = new World(createSeededRandom(seed ^ 0x5eed), time, service);
    for (const step of steps) await world.take(step);
    await world.converge();
    return world.seen;
  } finally {
    await service.shutDown();
  }
}

/** One service, a few devices, the network between them, and the true time. */
class World {
  readonly #random: SeededRandom;
  readonly #time: TrueTime;
  readonly #service: SimulatedService;
  readonly #network: SimulatedNetwork;
  readonly #devices: SimulatedDevice[] = [];
  /** How often each kind of event was seen, to show that a run tests something. */
  readonly seen: Record<string, number> = {};
  /** Devices in the middle of an operation: another step would wait forever. */
  #busy: SimulatedDevice | null = null;
  /** Changes may not fit what devices hold, which then ask for the whole list: a backup was restored, a clock set. */
  #isUnsettled = false;

  constructor(random: SeededRandom, time: TrueTime, service: SimulatedService) {
    [this.#random, this.#time, this.#service] = [random, time, service];
    this.#network = { random: random.fork(), service, time, seen: [] };
  }

  /** Runs one step and checks everything it touched. @throws Violation */
  async take(step: Step): Promise<void> {
    const touched = await this.#carryOut(step);
    for (const { crossing } of this.#devices) crossing.rethrow();
    const each = touched ?? this.#pickDevice(this.#random.between(0, 999));
    if (each !== null) await this.#look(each);
  }

  /**
   * Ends every fault, starts every device anew and syncs it: it must then accept exactly the service's people, and hold
   * nothing that had to be deleted. A device that was revoked, or whose list is gone, is added again. @throws Violation
   */
  async converge(): Promise<void> {
    await this.#service.restart();
    await this.#service.runJobs();
    for (const machine of this.#devices) {
      machine.switchOff('power');
      machine.setClock(0);
      await machine.switchOn();
      promise(machine.device !== null, 'a device starts');
      if (!(await this.#isCurrent(machine))) {
        const role = await this.#service.addDevice(0);
        if (role === null) continue;
        await this.#become(machine, role);
        promise(await this.#isCurrent(machine), 'a device that was added again has the list');
      }
      await this.#compare(machine);
    }
  }

  /** @returns whether it has the current list */
  async #isCurrent(machine: SimulatedDevice): Promise<boolean> {
    const isTaken = await this.#sync(machine, 'good');
    await this.#look(machine);
    const { expected } = this.#service;
    const { deviceId, listId, token } = machine.role;
    if (!expected.lists.has(listId) || !expected.devices.has(token)) return false;
    const { told, wiped } = machine.checker;
    if (expected.revoked.has(deviceId)) {
      const erased = machine.device?.status().erased ?? null;
      promise(wiped !== null || erased !== null, 'a revoked device is wiped');
      return false;
    }
    // What it took at this very moment may already be over by its own clock.
    return isTaken && told !== null && Date.parse(told.manifest.issuedAt) === this.#time.now();
  }

  /** Checks that the device has exactly the service's people. */
  async #compare(machine: SimulatedDevice): Promise<void> {
    const { device, checker } = machine;
    const list = this.#service.expected.lists.get(machine.role.listId);
    if (device === null || list === undefined) return;
    const served = servedPeople(list, this.#time.now());
    const own = await this.#service.people(list);
    for (const personId of served.keys()) promise(own.has(personId), 'whoever is served is on the list');
    if (!checker.mayHaveDropped(this.#time.now())) {
      promise(device.status().people === served.size, 'everybody is on the device, and nobody else');
    }
    for (const personId of [...PEOPLE, NOBODY]) await this.#scan(machine, personId);
  }

  /** @returns the device that was touched, if it is idle */
  async #carryOut(step: Step): Promise<SimulatedDevice | null> {
    if ('device' in step) {
      const machine = this.#pickDevice(step.device);
      // During an operation of it a device may be revoked, its clock set, and it may sync.
      const mayHit = machine !== this.#busy || ['revoke', 'set-clock', 'sync'].includes(step.do);
      if (machine !== null && mayHit) await this.#carryOutOn(machine, step);
      return machine === this.#busy ? null : machine;
    }
    if (step.do === 'add-device') return this.#addDevice(step.list);
    if (step.do === 'wait') this.#time.advance(step.ms);
    else await this.#carryOutAtService(step);
    return null;
  }

  async #carryOutAtService(step: ServiceStep): Promise<void> {
    const service = this.#service;
    switch (step.do) {
      case 'enrol':
        return service.enrol(step.list, personOf(step.person), step.face % FACES);
      case 'erase':
        return service.erase(step.list, personOf(step.person));
      case 'delete-list':
        return service.deleteList(step.list);
      case 'create-list':
        return service.createList(step.endsInMs);
      case 'move-end':
        return service.moveEnd(step.list, step.endsInMs);
      case 'run-jobs':
        return service.runJobs();
      case 'restart-service':
        return service.restart();
      case 'upgrade-service':
        return service.restart(true);
      case 'back-up':
        return service.backUp();
      case 'restore':
        this.#isUnsettled = true;
        return service.restore(step.backup);
    }
  }

  async #carryOutOn(machine: SimulatedDevice, step: DeviceStep): Promise<void> {
    switch (step.do) {
      case 'revoke':
        return this.#service.revoke(machine.role.token);
      case 'set-clock':
        this.#isUnsettled = true;
        return machine.setClock(machine.offsetMs + step.ms);
      case 'sync':
        await this.#sync(machine, step.network);
        return;
      case 'switch-off':
        return this.#switchOff(machine, step.kind);
      case 'restart':
        this.#switchOff(machine, step.kind);
        return this.#switchOn(machine, step.cut);
      case 'cut-sync':
        return this.#cutOff(machine, 'sync', step.cut, () => this.#sync(machine, 'good'));
      case 'cut-verify':
        return this.#cutOff(machine, 'verification', step.cut, () => machine.scan(NOBODY));
      case 'add-again': {
        const role = await this.#service.addDevice(step.list);
        return role === null ? undefined : this.#become(machine, role);
      }
      case 'slow-sync':
        return this.#slowSync(machine, step.way, step.meanwhile);
      case 'verify':
      case 'slow-verify': {
        const personId = personOf(step.person);
        const meanwhile = step.do === 'verify' ? null : () => this.#while(machine, step.meanwhile);
        return this.#verify(machine, personId, this.#faceOf(machine, personId), meanwhile);
      }
    }
  }

  /** Runs steps while a device is in the middle of an operation. */
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
      ...{ role, time: this.#time, region: REGION },
      random: this.#random.fork(),
      crossing: new Crossing(this.#network),
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

  /** @returns whether the device took an answer */
  async #sync(machine: SimulatedDevice, plan: NetworkPlan): Promise<boolean> {
    const { device, crossing, checker } = machine;
    if (device === null) return false;
    [crossing.plan, crossing.questions] = [plan, 0];
    const fits = !this.#isUnsettled && !checker.mayHaveDropped(this.#time.now());
    const result = await machine.sync(device);
    crossing.plan = 'good';
    crossing.rethrow();
    this.#count(result.ok ? result.outcome : result.reason);
    if (fits) promise(crossing.questions <= 1, 'changes fit what the device holds');
    if (result.ok) {
      promise(TRUE_PLANS.has(plan), `nothing is taken from a network that is “${plan}”`);
    } else if (!machine.disk.isOff && TRUE_PLANS.has(plan)) {
      const { erased } = device.status();
      const isGone = result.reason === 'erased-for-good' && erased !== null && GONE_FOR_GOOD.has(erased);
      const isUnknown = result.reason === 'unauthorised' && !this.#service.expected.devices.has(machine.role.token);
      promise(isGone || isUnknown, `a good sync is taken, and not “${result.reason}”`);
    }
    return result.ok;
  }

  async #slowSync(machine: SimulatedDevice, way: Way, meanwhile: readonly Step[]): Promise<void> {
    const { device, crossing } = machine;
    if (device === null) return;
    const { reached, open } = crossing.holdUp(way);
    const syncing = machine.sync(device);
    await Promise.race([reached, syncing.catch(() => undefined)]);
    crossing.endHoldUp();
    await this.#while(machine, meanwhile);
    open();
    const result = await syncing;
    await crossing.settle();
    this.#count(result.ok ? result.outcome : result.reason);
  }

  /** @param face the visitor's; null: nobody */
  async #verify(
    machine: SimulatedDevice,
    personId: string,
    face: number | null,
    meanwhile: (() => Promise<void>) | null = null,
  ): Promise<void> {
    if (machine.device !== null) this.#count(await machine.verify(machine.device, personId, face, meanwhile));
  }

  /** Mostly without a visitor: a visit takes ten times as long. */
  async #scan(machine: SimulatedDevice, personId: string): Promise<void> {
    const isVisit = this.#random.chance(0.1);
    await this.#verify(machine, personId, isVisit ? this.#faceOf(machine, personId) : null);
  }

  /** Mostly that of the list. */
  #faceOf(machine: SimulatedDevice, personId: string): number {
    const known = machine.checker.told?.people.get(personId);
    return known === undefined || this.#random.chance(0.2) ? this.#random.between(0, FACES - 1) : known.face;
  }

  /** Checks that hold for a device at any time. */
  async #look(machine: SimulatedDevice): Promise<void> {
    const { device } = machine;
    if (device === null) return;
    await this.#scan(machine, this.#random.pick([...PEOPLE, NOBODY]));
    await machine.lookAtDisk(device);
    const { erased } = device.status();
    if (erased !== null && erased !== machine.erased) this.#count(erased);
    machine.erased = erased;
  }

  /** The machine becomes another device: nothing of the former one may be left. */
  async #become(machine: SimulatedDevice, role: Role): Promise<void> {
    machine.switchOff('kill');
    machine.become(role);
    await machine.switchOn();
    if (!machine.disk.isOff) await machine.lookForKeys();
  }

  #switchOff(machine: SimulatedDevice, kind: Cut['kind']): void {
    if (machine.device !== null) this.#count(`${kind} at rest`);
    machine.switchOff(kind);
  }

  /** Ends the program or the power in the middle of an operation, unless that finishes first. */
  async #cutOff(machine: SimulatedDevice, what: string, cut: Cut, deed: () => Promise<unknown>): Promise<void> {
    if (machine.device === null) return;
    machine.disk.cutAt(cut.at, cut.instant, cut.kind);
    await deed();
    if (!machine.wasCut()) return;
    this.#count(`${cut.kind} in a ${what}`);
    await this.#switchOn(machine, cut.again);
  }

  /** Repeats while it is cut off during its start. */
  async #switchOn(machine: SimulatedDevice, cut: Cut | null): Promise<void> {
    await machine.switchOn(cut);
    if (cut === null || !machine.wasCut()) return;
    this.#count(`${cut.kind} in a start`);
    await this.#switchOn(machine, cut.again);
  }

  #count(kind: string): void {
    this.seen[kind] = (this.seen[kind] ?? 0) + 1;
  }
}
