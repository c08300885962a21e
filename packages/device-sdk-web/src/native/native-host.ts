import { type Camera, CheckInDevice, type DeviceModels, type DevicePorts, type Prompt } from '@svc/device-sdk';
import { FULL_WIPE_MS } from '@svc/device-sdk/adapters';
import {
  CONTRACT_MINOR,
  type ConfigureRequest,
  ContractError,
  type DeviceStatus,
  type FailureCode,
  type Handlers,
  PageChannel,
  type ShellRequests,
  toBase64Url,
  type VerifyRequest,
  withWholeMs,
} from '@svc/device-sdk-native';
import {
  type AskStore,
  createShellKeyStore,
  createShellPackStore,
  createShellTransport,
  storeAsker,
} from './shell-ports.ts';

/** The models, which the page ends with the device. */
export interface NativeModels extends DeviceModels {
  readonly dispose: () => void;
}

/** What an attempt shows. */
export interface AttemptView {
  /** Null: the attempt ended. */
  show(prompt: Prompt | null): void;
  /** The camera's picture, without prompts where the host app draws them. */
  camera(onPrompt: (prompt: Prompt) => void): Camera;
}

export interface ViewSettings extends Pick<ConfigureRequest, 'prompts' | 'camera'> {
  /** BCP 47; undefined: the system's. */
  readonly language: string | undefined;
  readonly withLight: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** How texts come and go between the page and the shell. */
export interface ShellBridge {
  send(text: string): void;
  /** Called once, with the receiver of every text. */
  receive(listener: (text: string) => void): void;
}

export interface NativeHostParts {
  readonly bridge: ShellBridge;
  readonly ports: Pick<DevicePorts, 'clock' | 'timers' | 'random'>;
  readonly sdkVersion: string;
  readonly createModels: (withPassive: boolean) => Promise<NativeModels>;
  readonly createView: (settings: ViewSettings) => AttemptView;
  /** Whether the person asked the system for reduced motion, which excludes changing colours. */
  readonly reducesMotion: () => boolean;
}

/** People answer the system's question in this time; the attempt itself waits less. */
const PERMISSION_MS = 60_000;
const GUARD_MS = 10_000;

interface RunningAttempt {
  readonly id: string;
  readonly cancel: AbortController;
}

/** A device whose keys, packs and network are a native shell's. */
class NativeHost {
  readonly #parts: NativeHostParts;
  readonly #channel: PageChannel;
  #configuring = false;
  #device: CheckInDevice | null = null;
  #models: NativeModels | null = null;
  #view: AttemptView | null = null;
  #attempt: RunningAttempt | null = null;
  /** The last one that was cancelled while it did not run: in a shell, a cancellation can overtake its attempt. */
  #cancelled = '';
  #isForeground = true;
  #isDisposed = false;
  /** As the shell has it; undefined while that is unknown. */
  #guardAtMs: number | null | undefined;
  #guard = Promise.resolve();

  constructor(parts: NativeHostParts) {
    this.#parts = parts;
    const { bridge, ports, sdkVersion } = parts;
    const hello = { minor: CONTRACT_MINOR, sdkVersion, session: toBase64Url(ports.random.bytes(16)) };
    this.#channel = new PageChannel(hello, (text) => bridge.send(text), this.#handlers());
    bridge.receive((text) => {
      if (typeof text === 'string') this.#channel.receive(text);
    });
  }

  fault(code: FailureCode, message: string): void {
    this.#channel.emit('fault', { code, message });
  }

  #handlers(): Handlers<ShellRequests> {
    return {
      configure: async (body) => {
        if (this.#isDisposed) throw refusal('disposed', 'the device was disposed');
        if (this.#configuring || this.#device !== null) throw refusal('busy', 'the device is configured already');
        this.#configuring = true;
        try {
          return { status: await this.#configure(body) };
        } finally {
          this.#configuring = false;
        }
      },
      start: async () => {
        this.#required().start();
        return {};
      },
      stop: async () => {
        this.#required().stop();
        return {};
      },
      sync: async () => {
        const result = await this.#required().syncAsync();
        await this.#setGuard();
        return { result };
      },
      verify: (body) => this.#verify(body),
      cancel: async ({ attempt }) => {
        this.#required();
        if (this.#attempt?.id === attempt) this.#attempt.cancel.abort();
        else this.#cancelled = attempt;
        return {};
      },
      confirmByStaff: async ({ attempt }) => {
        const device = this.#required();
        if (this.#attempt?.id === attempt) device.confirmByStaff();
        return {};
      },
      takeBackAdmission: async ({ scannedId }) => {
        return { outcome: await this.#required().takeBackAdmission(scannedId) };
      },
      status: async () => ({ status: statusOf(this.#required()) }),
      lifecycle: async ({ state }) => {
        if (this.#isDisposed) throw refusal('disposed', 'the device was disposed');
        if (state === 'low-memory') return {};
        this.#isForeground = state === 'foreground';
        // A sync begins with the deadlines.
        if (this.#isForeground) void this.#device?.syncAsync().then(() => this.#setGuard());
        else this.#attempt?.cancel.abort();
        return {};
      },
      dispose: async () => {
        this.#isDisposed = true;
        await this.#device?.dispose();
        return {};
      },
    };
  }

  async #configure(body: ConfigureRequest): Promise<DeviceStatus> {
    const { ports, createModels, createView, reducesMotion } = this.#parts;
    const ask = storeAsker(this.#channel);
    const isPassive = body.passiveLiveness === 'required';
    const lightChallenge = reducesMotion() ? 'off' : body.lightChallenge;
    const { deviceToken, region, maxSyncBytes, syncTimeoutMs } = body;
    const config = {
      ...{ deviceToken, lightChallenge, maxSyncBytes, syncTimeoutMs },
      region: 'name' in region ? region.name : region,
      ports: {
        ...ports,
        keyStore: createShellKeyStore(async (name, asked) => {
          if (name === 'keyStore.keepAs') await this.#guardKeys(ask);
          return ask(name, asked);
        }),
        packStore: createShellPackStore(ask),
        transport: createShellTransport(this.#channel),
      },
      onDisposed: () => this.#models?.dispose(),
    };
    const device = await CheckInDevice.createWith(config, async () => {
      const models = await createModels(isPassive);
      this.#models = models;
      return isPassive ? models : { ...models, passiveLiveness: 'absent-staff-in-view' };
    }).catch((error: unknown) => {
      this.#models?.dispose();
      throw error;
    });
    // The shell may have disposed the page meanwhile.
    if (this.#isDisposed) {
      await device.dispose();
      throw refusal('disposed', 'the device was disposed');
    }
    this.#device = device;
    this.#view = createView({
      ...{ language: body.language, prompts: body.prompts, camera: body.camera },
      withLight: !reducesMotion(),
      onConfirm: () => device.confirmByStaff(),
      onCancel: () => this.#attempt?.cancel.abort(),
    });
    device.onStatus(() => {
      this.#channel.emit('status', { status: statusOf(device) });
      void this.#setGuard();
    });
    await this.#setGuard();
    return statusOf(device);
  }

  async #verify({ attempt: id, scannedId, headTurn }: VerifyRequest) {
    const device = this.#required();
    const attempt = { id, cancel: new AbortController() };
    // A second one at the same time gets its result from the device at once.
    const isFirst = this.#attempt === null;
    if (isFirst) this.#attempt = attempt;
    if (!this.#isForeground || id === this.#cancelled) attempt.cancel.abort();
    try {
      const options = { headTurn, signal: attempt.cancel.signal };
      return { result: withWholeMs(await device.verifyLiveAsync(scannedId, this.#camera(id), options)) };
    } finally {
      if (isFirst) {
        this.#attempt = null;
        this.#view?.show(null);
        this.#channel.emit('prompt', { attempt: id, prompt: null });
        void this.#setGuard();
      }
    }
  }

  #camera(attempt: string): Camera {
    if (this.#view === null) throw refusal('not-configured', 'configure comes first');
    const camera = this.#view.camera((prompt) => {
      this.#view?.show(prompt);
      this.#channel.emit('prompt', { attempt, prompt: withWholeMs(prompt) });
    });
    const askPermission = () => this.#channel.request('camera.requestPermission', {}, { timeoutMs: PERMISSION_MS });
    return {
      ...camera,
      async *frames(signal) {
        const { permission } = await askPermission();
        if (permission !== 'granted') throw new DOMException('the app may not use the camera', 'NotAllowedError');
        yield* camera.frames(signal);
      },
    };
  }

  /**
   * Before keys are stored, the shell has a time to erase them, also if the page ends before it can tell the list's own.
   * @throws FaceError `storage-failed`
   */
  #guardKeys(ask: AskStore): Promise<void> {
    return this.#inTurn(async () => {
      const nowMs = this.#parts.ports.clock.wallMs();
      if ((this.#guardAtMs ?? 0) > nowMs) return;
      const eraseAtMs = Math.floor(nowMs) + FULL_WIPE_MS;
      await ask('guard.set', { eraseAtMs });
      this.#guardAtMs = eraseAtMs;
    });
  }

  /** Resolves when the shell has it. */
  #setGuard(): Promise<void> {
    return this.#inTurn(() => this.#tellGuard());
  }

  /** One request at a time: a shell may carry out two in any order. */
  #inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.#guard.then(step);
    this.#guard = done.catch(() => undefined);
    return done;
  }

  /** A failure is repeated at the next change. */
  async #tellGuard(): Promise<void> {
    const eraseAtMs = this.#device?.erasureDueAtMs() ?? null;
    // It may be storing the first keys; its end is a change too.
    if (eraseAtMs === null && this.#device?.status().syncing === true) return;
    const before = this.#guardAtMs;
    // The two clocks drift by less.
    const isSame =
      before !== undefined &&
      (before === null || eraseAtMs === null ? before === eraseAtMs : Math.abs(before - eraseAtMs) < 1_000);
    if (isSame) return;
    this.#guardAtMs = eraseAtMs;
    await this.#channel.request('guard.set', { eraseAtMs }, { timeoutMs: GUARD_MS }).catch(() => {
      this.#guardAtMs = undefined;
    });
  }

  #required(): CheckInDevice {
    if (this.#isDisposed) throw refusal('disposed', 'the device was disposed');
    if (this.#device === null) throw refusal('not-configured', 'configure comes first');
    return this.#device;
  }
}

const statusOf = (device: CheckInDevice): DeviceStatus => withWholeMs(device.status());

const refusal = (code: FailureCode, message: string) => new ContractError(code, message);

/** Greets the shell and serves it until the page ends. @returns tells the shell that the page cannot go on */
export function startNativeHost(parts: NativeHostParts): (code: FailureCode, message: string) => void {
  const host = new NativeHost(parts);
  return (code, message) => host.fault(code, message);
}
