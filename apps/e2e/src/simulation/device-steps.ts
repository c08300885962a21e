import type { SeededRandom } from '@svc/api/testing';
import type { SyncResult } from '@svc/device-sdk';
import type { Counter } from './counts.ts';
import { promise } from './expected-state.ts';
import { type Cut, type DeviceStep, NOBODY, PEOPLE, personOf, type Step } from './history.ts';
import type { Role, SimulatedDevice } from './simulated-device.ts';
import type { NetworkPlan, Way } from './simulated-network.ts';
import { FACES, type SimulatedService } from './simulated-service.ts';
import type { TrueTime } from './true-time.ts';

/** Reasons for which a device stops syncing. */
const GONE_FOR_GOOD = new Set(['no-sync-30-days', 'device-revoked']);
/** Crossings that pass a request and its answer unchanged. */
const TRUE_PLANS = new Set<NetworkPlan>(['good', 'duplicated']);

interface Surroundings {
  readonly service: SimulatedService;
  readonly time: TrueTime;
  readonly random: SeededRandom;
  readonly counter: Counter;
  /** Runs steps while a device is in the middle of an operation. */
  readonly meanwhile: (machine: SimulatedDevice, steps: readonly Step[]) => Promise<void>;
}

/** Runs the steps of devices, and checks what is promised of each. */
export class DeviceSteps {
  readonly #o: Surroundings;
  /** Changes may not fit what devices hold; they then ask for the whole list. */
  #isUnsettled = false;

  constructor(surroundings: Surroundings) {
    this.#o = surroundings;
  }

  /**
   * Changes may not fit what devices hold from now on: the service was restored, a node served a backup, a clock was
   * set, or a disk rotted.
   */
  unsettle(): void {
    this.#isUnsettled = true;
  }

  /** Steps that may hit a device in the middle of an operation. @returns false if the step is not one of them */
  async suffer(step: DeviceStep, machine: SimulatedDevice): Promise<boolean> {
    const { disk } = machine;
    switch (step.do) {
      case 'revoke':
        await this.#o.service.revoke(machine.role.token);
        return true;
      case 'set-clock':
        this.unsettle();
        machine.setClock(machine.offsetMs + step.ms);
        return true;
      case 'fill-disk':
        disk.isFull = true;
        return true;
      case 'fail-disk':
        disk.failures = step.rate;
        return true;
      case 'rot':
        this.unsettle();
        if (disk.rot((path) => path.includes(`/${step.what}`))) machine.checker.rotted();
        return true;
      case 'mend':
        [disk.isFull, disk.failures] = [false, 0];
        if (machine.offsetMs !== 0) machine.setClock(0);
        return true;
      default:
        return false;
    }
  }

  /** Steps that need the device to be idle. */
  async carryOut(step: DeviceStep, machine: SimulatedDevice): Promise<void> {
    switch (step.do) {
      case 'sync':
        await this.sync(machine, step.network);
        return;
      case 'run':
        return this.#run(machine, step.ms, step.network);
      case 'switch-off':
        return this.#switchOff(machine, step.kind);
      case 'restart':
        this.#switchOff(machine, step.kind);
        return this.#switchOn(machine, step.cut);
      case 'cut-sync':
        return this.#cutOff(machine, 'sync', step.cut, async () => {
          await this.sync(machine, 'good');
        });
      case 'cut-verify':
        return this.#cutOff(machine, 'verification', step.cut, async () => {
          await machine.scan(NOBODY);
        });
      case 'add-again':
        return this.#addAgain(machine, step.list);
      case 'verify':
        return this.verify(machine, personOf(step.person));
      case 'slow-sync':
        return this.#slowSync(machine, step.way, step.meanwhile);
      case 'slow-verify': {
        const meanwhile = () => this.#o.meanwhile(machine, step.meanwhile);
        return this.verify(machine, personOf(step.person), meanwhile);
      }
      case 'stale-sync':
        return this.#staleSync(machine, step.backup);
      default:
        throw new Error(`${step.do} is done to any machine`);
    }
  }

  /** @returns whether the device took an answer */
  async sync(machine: SimulatedDevice, plan: NetworkPlan): Promise<boolean> {
    const { device, crossing, checker } = machine;
    if (device === null) return false;
    [crossing.plan, crossing.questions] = [plan, 0];
    const isWell = machine.isWell && !checker.isTroubled;
    const fits = isWell && !this.#isUnsettled && !checker.mayHaveDropped(this.#o.time.now());
    const result = await machine.sync(device);
    crossing.plan = 'good';
    crossing.rethrow();
    this.#count(result);
    if (fits) promise(crossing.questions <= 1, 'changes fit what the device holds');
    if (result.ok) {
      promise(TRUE_PLANS.has(plan), `nothing is taken from a network that is «${plan}»`);
    } else if (isWell && machine.isWell && TRUE_PLANS.has(plan)) {
      const { erased } = device.status();
      const isGone = result.reason === 'erased-for-good' && erased !== null && GONE_FOR_GOOD.has(erased);
      const isUnknown = result.reason === 'unauthorised' && !this.#o.service.expected.devices.has(machine.role.token);
      promise(isGone || isUnknown || checker.isMisled, `a good sync is taken, and not «${result.reason}»`);
    }
    return result.ok;
  }

  async verify(
    machine: SimulatedDevice,
    personId: string,
    meanwhile: (() => Promise<void>) | null = null,
  ): Promise<void> {
    await this.verifyAs(machine, personId, this.#faceOf(machine, personId), meanwhile);
  }

  /** @param face the visitor's; null: nobody */
  async verifyAs(
    machine: SimulatedDevice,
    personId: string,
    face: number | null,
    meanwhile: (() => Promise<void>) | null = null,
  ): Promise<void> {
    const { device } = machine;
    if (device === null) return;
    const outcome = await machine.verify(device, personId, face, meanwhile);
    this.#o.counter.count('verifications', outcome);
  }

  /** Mostly without a visitor: a visit takes ten times as long. */
  async scan(machine: SimulatedDevice, personId: string): Promise<void> {
    const isVisit = this.#o.random.chance(0.1);
    await this.verifyAs(machine, personId, isVisit ? this.#faceOf(machine, personId) : null);
  }

  /** Checks that hold for a device at any time. */
  async look(machine: SimulatedDevice): Promise<void> {
    const { device } = machine;
    if (device === null) return;
    await this.scan(machine, this.#o.random.pick([...PEOPLE, NOBODY]));
    machine.lookAtDisk(device);
    const { erased } = device.status();
    if (erased !== null && erased !== machine.erased) this.#o.counter.count('wipes', erased);
    machine.erased = erased;
  }

  /** The machine becomes another device: nothing of the former one may be left. */
  async become(machine: SimulatedDevice, role: Role): Promise<void> {
    machine.switchOff('kill');
    machine.become(role);
    await machine.switchOn();
    if (machine.isWell) machine.lookForKeys();
  }

  async #addAgain(machine: SimulatedDevice, nth: number): Promise<void> {
    const role = await this.#o.service.addDevice(nth);
    if (role !== null) await this.become(machine, role);
  }

  /** Runs as in an app: it syncs, and checks its clock with nobody at the door. */
  async #run(machine: SimulatedDevice, ms: number, plan: NetworkPlan): Promise<void> {
    const { device, crossing } = machine;
    if (device === null) return;
    crossing.plan = plan;
    await machine.run(device, ms);
    crossing.plan = 'good';
    crossing.rethrow();
    const { lastSync } = device.status();
    if (lastSync !== null) this.#count(lastSync);
  }

  #count(result: SyncResult): void {
    this.#o.counter.count('syncs', result.ok ? result.outcome : result.reason);
  }

  #switchOff(machine: SimulatedDevice, kind: Cut['kind']): void {
    if (machine.device !== null) this.#o.counter.count('cuts', `${kind} at rest`);
    machine.switchOff(kind);
  }

  /** Ends the program or the power in the middle of an operation, unless that finishes first. */
  async #cutOff(machine: SimulatedDevice, what: string, cut: Cut, deed: () => Promise<void>): Promise<void> {
    if (machine.device === null) return;
    machine.disk.cutAt(cut.at, cut.instant, cut.kind);
    await deed();
    if (!machine.wasCut()) return;
    this.#o.counter.count('cuts', `${cut.kind} in a ${what}`);
    await this.#switchOn(machine, cut.again);
  }

  /** Repeats while it is cut off during its start. */
  async #switchOn(machine: SimulatedDevice, cut: Cut | null): Promise<void> {
    await machine.switchOn(cut);
    if (cut === null || !machine.wasCut()) return;
    this.#o.counter.count('cuts', `${cut.kind} in a start`);
    await this.#switchOn(machine, cut.again);
  }

  async #slowSync(machine: SimulatedDevice, way: Way, meanwhile: readonly Step[]): Promise<void> {
    const { device, crossing } = machine;
    if (device === null) return;
    const { reached, open } = crossing.holdUp(way);
    const syncing = machine.sync(device);
    await Promise.race([reached, syncing.catch(() => undefined)]);
    crossing.endHoldUp();
    await this.#o.meanwhile(machine, meanwhile);
    open();
    const result = await syncing;
    await crossing.settle();
    this.#count(result);
  }

  async #staleSync(machine: SimulatedDevice, backup: number | null): Promise<void> {
    const { device, crossing } = machine;
    if (device === null) return;
    this.unsettle();
    crossing.stale = { backup };
    const result = await machine.sync(device);
    crossing.stale = null;
    crossing.rethrow();
    this.#count(result);
  }

  /** Mostly the engine of the list. */
  #faceOf(machine: SimulatedDevice, personId: string): number {
    const { random } = this.#o;
    const known = machine.checker.told?.people.get(personId);
    return known === undefined || random.chance(0.2) ? random.between(0, FACES - 1) : known.face;
  }
}
