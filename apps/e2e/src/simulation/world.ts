import { createSeededRandom, type SeededRandom } from '@svc/api/testing';
import type { TransportAnswer, TransportRequest } from '@svc/device-sdk';
import { DEVICE_KEY_HEADER, NONCE_HEADER } from '@svc/protocol';
import type { Step } from './history.ts';
import { type BendPorts, type Role, SimulatedDevice } from './simulated-device.ts';
import { type NetworkPlan, type Reply, SimulatedNetwork } from './simulated-network.ts';
import { type BendStores, FACES, REGION, SimulatedService } from './simulated-service.ts';
import { TrueTime } from './true-time.ts';
import { servedPeople } from './truth.ts';
import { promise } from './violation.ts';
import type { Told } from './witness.ts';

/** What is broken on purpose, for a test that must see it found out. */
export interface Sabotage {
  readonly ports?: BendPorts;
  readonly stores?: BendStores;
  readonly forgetsToSync?: boolean;
}

const MOST_DEVICES = 6;
const PEOPLE = ['p0', 'p1', 'p2', 'p3', 'p4'] as const;
const NOBODY = 'nobody';
/** Why a device asks for nothing any more. */
const GONE_FOR_GOOD = new Set(['no-sync-30-days', 'device-revoked']);

/** A request on its way that is held up. */
interface Gate {
  readonly way: 'there' | 'back';
  readonly reached: () => void;
  readonly opened: Promise<void>;
}

interface Route {
  plan: NetworkPlan;
  gate: Gate | null;
  /** The backup that the node serves that answers; null for the service as it is. */
  stale: { readonly backup: number | null } | null;
  /** Questions of the sync that runs, or ran last. */
  questions: number;
}

/** After these, changes may not fit what a device holds, and it asks for the whole list. */
const UNSETTLING = new Set(['restore', 'stale-sync', 'set-clock', 'rot']);

/** One service, a few devices, the network between them and the one true time. */
export class World {
  readonly #random: SeededRandom;
  readonly #time: TrueTime;
  readonly #service: SimulatedService;
  readonly #network: SimulatedNetwork;
  readonly #sabotage: Sabotage;
  readonly #devices: SimulatedDevice[] = [];
  #isUnsettled = false;
  readonly #routes = new Map<SimulatedDevice, Route>();
  /** In the middle of something: another step for it would wait for ever. */
  #busy: SimulatedDevice | null = null;
  /** The request that is with the service, or was last. */
  #asked: Promise<unknown> = Promise.resolve();
  /** Thrown where the device would take it for a network that failed. */
  #broken: unknown = null;
  /** What each sync and each attempt came to: the same seed gives the same. */
  readonly trace: string[] = [];
  /** What was seen to work, to know that a run proves something. */
  readonly seen = { matches: 0, syncs: 0, wipes: 0, cuts: 0, attempts: 0 };

  private constructor(seed: number, time: TrueTime, service: SimulatedService, sabotage: Sabotage) {
    this.#random = createSeededRandom(seed ^ 0x5eed);
    this.#time = time;
    this.#service = service;
    this.#network = new SimulatedNetwork(this.#random.fork());
    this.#sabotage = sabotage;
  }

  static async open(seed: number, sabotage: Sabotage = {}): Promise<World> {
    const time = new TrueTime();
    const service = await SimulatedService.open(time, createSeededRandom(seed ^ 0x5e4), sabotage.stores);
    return new World(seed, time, service, sabotage);
  }

  close(): Promise<void> {
    return this.#service.shutDown();
  }

  /** Carries out one step and looks at everything it touched. @throws Violation */
  async take(step: Step): Promise<void> {
    const touched = await this.#carryOut(step);
    this.#rethrow();
    const each = touched ?? this.#pickDevice(this.#random.between(0, 999));
    if (each !== null) await this.#look(each);
  }

  /**
   * Whatever happened: once all is mended and every device has synced, each lets in exactly those whom the service has, and what was to
   * go is gone. @throws Violation
   */
  async converge(): Promise<void> {
    for (const account of [0, 1]) await this.#service.resume(account);
    await this.#service.restart();
    await this.#service.runJobs();
    for (const each of this.#devices) {
      await this.#mend(each);
      await this.#convergeDevice(each);
    }
  }

  #rethrow(): void {
    if (this.#broken !== null) throw this.#broken;
  }

  async #carryOut(step: Step): Promise<SimulatedDevice | null> {
    const service = this.#service;
    if (UNSETTLING.has(step.do)) this.#isUnsettled = true;
    switch (step.do) {
      case 'enrol':
        await service.enrol(step.list, this.#person(step.person), step.face % FACES);
        return null;
      case 'erase':
        await service.erase(step.list, this.#person(step.person));
        return null;
      case 'close':
        await service.close(step.list);
        return null;
      case 'end':
        await service.end(step.list);
        return null;
      case 'delete-list':
        await service.deleteList(step.list);
        return null;
      case 'create-list':
        await service.createList(step.account, step.endsInMs);
        return null;
      case 'move-end':
        await service.moveEnd(step.list, step.endsInMs);
        return null;
      case 'suspend':
        await service.suspend(step.account);
        return null;
      case 'resume':
        await service.resume(step.account);
        return null;
      case 'run-jobs':
        await service.runJobs();
        return null;
      case 'restart-service':
        await service.restart();
        return null;
      case 'upgrade-service':
        await service.restart(true);
        return null;
      case 'rotate-kek':
        await service.rotateKek();
        return null;
      case 'back-up':
        service.backUp();
        return null;
      case 'restore':
        await service.restore(step.backup);
        return null;
      case 'wait':
        this.#time.advance(step.ms);
        return null;
      case 'add-device':
        return this.#addDevice(step.list);
      default:
        return this.#carryOutOn(step);
    }
  }

  async #carryOutOn(
    step: Exclude<Step, { readonly list: number } | { readonly account: number }> | Extract<Step, { do: 'add-again' }>,
  ): Promise<SimulatedDevice | null> {
    const device = 'device' in step ? this.#pickDevice(step.device) : null;
    if (device === null) return null;
    switch (step.do) {
      case 'revoke':
        await this.#service.revoke(device.role.token);
        return null;
      case 'set-clock':
        device.setClock(device.offsetMs + step.ms);
        return device;
      case 'fill-disk':
        device.disk.isFull = true;
        return device;
      case 'fail-disk':
        device.disk.failures = step.rate;
        return device;
      case 'rot':
        if (device.disk.rot((path) => path.includes(`/${step.what}`))) device.witness.rotted();
        return device;
      case 'mend':
        device.disk.isFull = false;
        device.disk.failures = 0;
        if (device.offsetMs !== 0) device.setClock(0);
        return device;
      default:
        // What follows needs the machine for itself.
        if (device === this.#busy) return this.#onBusy(step, device);
        return this.#operate(step, device);
    }
  }

  /** While an attempt runs, a sync may come between; nothing else may. */
  async #onBusy(step: Step, device: SimulatedDevice): Promise<null> {
    if (step.do === 'sync') await this.#sync(device, step.network);
    return null;
  }

  async #operate(step: Step, device: SimulatedDevice): Promise<SimulatedDevice | null> {
    switch (step.do) {
      case 'sync':
        await this.#sync(device, step.network);
        break;
      case 'switch-off':
        device.switchOff(step.kind);
        break;
      case 'restart':
        device.switchOff(step.kind);
        await device.switchOn(step.cut);
        await this.#afterCut(device);
        break;
      case 'cut-sync':
      case 'cut-verify':
        if (device.device === null) break;
        device.disk.cutAt(step.cut.at, step.cut.instant, step.cut.kind);
        if (step.do === 'cut-sync') await this.#sync(device, 'good');
        else await device.device.verifyLiveAsync(NOBODY, { frames: () => noFrames(), prompt: () => undefined });
        await this.#afterCut(device);
        break;
      case 'add-again':
        await this.#addAgain(device, step.list);
        break;
      case 'verify':
        await this.#verify(device, this.#person(step.person));
        break;
      case 'slow-sync':
        await this.#slowSync(device, step.way, step.meanwhile);
        break;
      case 'slow-verify':
        await this.#slowVerify(device, this.#person(step.person), step.meanwhile);
        break;
      case 'stale-sync':
        await this.#staleSync(device, step.backup);
        break;
      default:
        throw new Error(`${step.do} is no step of a device`);
    }
    return device;
  }

  async #afterCut(device: SimulatedDevice): Promise<void> {
    if (!device.wasCut()) return;
    this.seen.cuts += 1;
    await device.switchOn();
  }

  async #addDevice(nth: number): Promise<SimulatedDevice | null> {
    if (this.#devices.length >= MOST_DEVICES) return null;
    const role = await this.#service.addDevice(nth);
    if (role === null) return null;
    const device: SimulatedDevice = new SimulatedDevice({
      ...{ name: `device ${this.#devices.length}`, role, time: this.#time, region: REGION },
      random: this.#random.fork(),
      transport: (request) => this.#carry(device, request),
      note: (what) => this.trace.push(what),
      bend: this.#sabotage.ports ?? ((ports) => ports),
    });
    device.disk.forgetsToSync = this.#sabotage.forgetsToSync === true;
    this.#routes.set(device, { plan: 'good', gate: null, stale: null, questions: 0 });
    this.#devices.push(device);
    await device.switchOn();
    return device;
  }

  /** The machine becomes another device: nothing of the one before may be left. */
  async #addAgain(device: SimulatedDevice, nth: number): Promise<void> {
    const role = await this.#service.addDevice(nth);
    if (role !== null) await this.#become(device, role);
  }

  async #become(device: SimulatedDevice, role: Role): Promise<void> {
    device.switchOff('kill');
    device.role = role;
    device.answered = null;
    device.witness.forget(this.#time.now());
    await device.switchOn();
    if (device.isWell) device.lookForKeys();
  }

  async #sync(machine: SimulatedDevice, plan: NetworkPlan): Promise<void> {
    const { device } = machine;
    if (device === null) return;
    const route = this.#route(machine);
    [route.plan, route.questions] = [plan, 0];
    const isWell = machine.isWell && !machine.witness.isTroubled;
    const result = await machine.sync(device);
    route.plan = 'good';
    this.#rethrow();
    if (isWell && !this.#isUnsettled) promise(route.questions <= 1, 'changes fit what the device holds');
    if (result.ok) {
      this.seen.syncs += 1;
      if (result.outcome === 'wiped') this.seen.wipes += 1;
      promise(plan === 'good' || plan === 'duplicated', `nothing is taken from a network that is «${plan}»`);
    } else if (isWell && machine.isWell && (plan === 'good' || plan === 'duplicated')) {
      const { erased } = device.status();
      const isGone = result.reason === 'erased-for-good' && erased !== null && GONE_FOR_GOOD.has(erased);
      const isUnknown = result.reason === 'unauthorised' && !this.#service.truth.devices.has(machine.role.token);
      promise(isGone || isUnknown || machine.witness.isMisled, `a good sync is taken, and not «${result.reason}»`);
    }
  }

  async #slowSync(machine: SimulatedDevice, way: Gate['way'], meanwhile: readonly Step[]): Promise<void> {
    const { device } = machine;
    if (device === null) return;
    let reached = () => {};
    let open = () => {};
    const arrived = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const route = this.#route(machine);
    route.gate = { way, reached, opened };
    const syncing = machine.sync(device);
    await Promise.race([arrived, syncing.catch(() => undefined)]);
    route.gate = null;
    await this.#while(machine, meanwhile);
    open();
    const result = await syncing;
    await this.#asked;
    if (result.ok) this.seen.syncs += 1;
  }

  async #slowVerify(machine: SimulatedDevice, personId: string, meanwhile: readonly Step[]): Promise<void> {
    const { device } = machine;
    if (device === null) return;
    const face = this.#faceOf(machine, personId);
    await machine.verify(device, personId, face, () => this.#while(machine, meanwhile));
    this.seen.attempts += 1;
  }

  async #while(machine: SimulatedDevice, steps: readonly Step[]): Promise<void> {
    this.#busy = machine;
    try {
      for (const step of steps) await this.#carryOut(step);
    } finally {
      this.#busy = null;
    }
  }

  async #staleSync(machine: SimulatedDevice, backup: number | null): Promise<void> {
    const { device } = machine;
    if (device === null) return;
    const route = this.#route(machine);
    route.stale = { backup };
    const result = await machine.sync(device);
    route.stale = null;
    if (result.ok) machine.witness.isMisled = true;
  }

  async #verify(machine: SimulatedDevice, personId: string): Promise<void> {
    const { device } = machine;
    if (device === null) return;
    await machine.verify(device, personId, this.#faceOf(machine, personId));
    this.seen.attempts += 1;
  }

  /** Mostly the one that the list has. */
  #faceOf(machine: SimulatedDevice, personId: string): number {
    const known = machine.witness.told?.people.get(personId);
    return known === undefined || this.#random.chance(0.2) ? this.#random.between(0, FACES - 1) : known.face;
  }

  /** What may be seen of a device at any time. */
  async #look(machine: SimulatedDevice): Promise<void> {
    const { device } = machine;
    if (device === null) return;
    await this.#verify(machine, this.#random.pick([...PEOPLE, NOBODY]));
    machine.lookAtDisk(device);
  }

  async #mend(machine: SimulatedDevice): Promise<void> {
    machine.disk.isFull = false;
    machine.disk.failures = 0;
    machine.switchOff('power');
    machine.setClock(0);
    await machine.switchOn();
  }

  async #convergeDevice(machine: SimulatedDevice): Promise<void> {
    promise(machine.device !== null, 'a device on a healthy disk starts');
    // What has rotted is found by reading it, and brought again by the sync after that.
    const tries = machine.witness.isTroubled || machine.witness.isMisled ? 3 : 1;
    let isCurrent = false;
    for (let nth = 0; nth < tries && !isCurrent; nth += 1) isCurrent = await this.#isCurrent(machine);
    if (!isCurrent) {
      const role = await this.#service.addDevice(0);
      if (role === null) return;
      await this.#become(machine, role);
      promise(await this.#isCurrent(machine), 'a device that was added again has the list');
    }
    await this.#compare(machine);
  }

  /** @returns whether it took a list, or was told to wipe */
  async #isCurrent(machine: SimulatedDevice): Promise<boolean> {
    await this.#sync(machine, 'good');
    await this.#look(machine);
    const list = this.#service.truth.lists.get(machine.role.listId);
    const isServed = list !== undefined && this.#service.truth.devices.has(machine.role.token);
    const { told, wiped } = machine.witness;
    if (!isServed) return false;
    if (this.#service.truth.revoked.has(machine.role.deviceId)) {
      const erased = machine.device?.status().erased ?? null;
      promise(wiped !== null || erased !== null, 'a revoked device is wiped');
      return false;
    }
    return told !== null && Date.parse(told.manifest.issuedAt) === this.#time.now();
  }

  /** The device has exactly the service's people. */
  async #compare(machine: SimulatedDevice): Promise<void> {
    const { device } = machine;
    const list = this.#service.truth.lists.get(machine.role.listId);
    if (device === null || list === undefined) return;
    const served = servedPeople(list, this.#time.now());
    const own = await this.#service.people(list);
    for (const personId of served.keys()) promise(own.has(personId), 'whoever is served is on the list');
    promise(device.status().people === served.size, 'everybody is on the device, and nobody else');
    for (const personId of [...PEOPLE, NOBODY]) {
      const face = served.get(personId)?.face ?? 0;
      await machine.verify(device, personId, face);
      if (served.get(personId)?.engineId === machine.engine.engineId) this.seen.matches += 1;
    }
  }

  async #carry(machine: SimulatedDevice, request: TransportRequest): Promise<TransportAnswer> {
    const route = this.#route(machine);
    const { plan, gate, stale } = route;
    route.questions += 1;
    const call = {
      authorization: request.headers.Authorization ?? '',
      deviceKey: request.headers[DEVICE_KEY_HEADER] ?? '',
      nonce: request.headers[NONCE_HEADER] ?? '',
      since: new URL(request.url).searchParams.get('since') ?? '',
    };
    const ask = async (): Promise<Reply> => {
      if (gate?.way === 'there') await passing(gate);
      let asked = null as SimulatedDevice['answered'];
      const onTold = (told: Told) => {
        asked = told;
      };
      const reply =
        stale === null
          ? await this.#service.answer(call, onTold, machine.witness.isTroubled)
          : await this.#service.answerStale(stale.backup, call, onTold);
      if (asked !== null && stale === null) {
        for (const { name, key } of await this.#service.keysOf(asked)) machine.keys.set(name, key);
      }
      machine.answered = asked;
      if (gate?.way === 'back') await passing(gate);
      return reply;
    };
    return this.#network.carry(request, plan, () => {
      const asked = ask();
      // The device may have given up waiting, and goes on.
      this.#asked = asked.catch((error: unknown) => {
        this.#broken ??= error;
      });
      return asked;
    });
  }

  #route(machine: SimulatedDevice): Route {
    const route = this.#routes.get(machine);
    if (route === undefined) throw new Error('no such device');
    return route;
  }

  #pickDevice(nth: number): SimulatedDevice | null {
    return this.#devices[nth % Math.max(1, this.#devices.length)] ?? null;
  }

  #person(nth: number): string {
    return PEOPLE[nth % PEOPLE.length] ?? NOBODY;
  }
}

async function passing(gate: Gate): Promise<void> {
  gate.reached();
  await gate.opened;
}

/** A camera that shows nothing. */
async function* noFrames() {}
