import { createSeededRandom, type SeededRandom } from '@svc/api/testing';
import { ENGINE_ID, OTHER_ENGINE_ID } from '@svc/device-sdk/testing';
import { converge } from './convergence.ts';
import { Counter, type Counts } from './counts.ts';
import { Crossing } from './crossing.ts';
import { DeviceSteps } from './device-steps.ts';
import { type DeviceStep, personOf, type ServiceStep, type Step } from './history.ts';
import { type BendPorts, SimulatedDevice } from './simulated-device.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { type BendStores, FACES, REGION, SimulatedService } from './simulated-service.ts';
import { TrueTime } from './true-time.ts';

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

/** A planted fault, which a test must see found. */
export interface PlantedFault {
  readonly ports?: BendPorts;
  readonly stores?: BendStores;
  readonly forgetsToSync?: boolean;
}

const MOST_DEVICES = 6;

/** One service, a few devices, the network between them, and the true time. */
export class World {
  readonly #random: SeededRandom;
  readonly #time: TrueTime;
  readonly #service: SimulatedService;
  readonly #network: SimulatedNetwork;
  readonly #fault: PlantedFault;
  readonly #devices: SimulatedDevice[] = [];
  readonly #steps: DeviceSteps;
  readonly #counter = new Counter();
  /** Devices in the middle of an operation: another step would wait forever. */
  #busy: SimulatedDevice | null = null;
  /** Results of all syncs and attempts, to compare runs of the same seed. */
  readonly trace: string[] = [];

  private constructor(seed: number, time: TrueTime, service: SimulatedService, fault: PlantedFault) {
    this.#random = createSeededRandom(seed ^ 0x5eed);
    [this.#time, this.#service, this.#fault] = [time, service, fault];
    this.#network = new SimulatedNetwork(this.#random.fork());
    this.#steps = new DeviceSteps({
      ...{ service, time, random: this.#random, counter: this.#counter },
      meanwhile: (machine, steps) => this.#while(machine, steps),
    });
  }

  static async open(seed: number, fault: PlantedFault = {}): Promise<World> {
    const time = new TrueTime();
    const service = await SimulatedService.open(time, createSeededRandom(seed ^ 0x5e4), fault.stores);
    return new World(seed, time, service, fault);
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
      bend: this.#fault.ports ?? ((ports) => ports),
    });
    device.disk.forgetsToSync = this.#fault.forgetsToSync === true;
    this.#devices.push(device);
    await device.switchOn();
    return device;
  }

  #pickDevice(nth: number): SimulatedDevice | null {
    return this.#devices[nth % Math.max(1, this.#devices.length)] ?? null;
  }
}
