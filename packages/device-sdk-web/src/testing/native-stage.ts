import type { Camera, Prompt } from '@svc/device-sdk';
import { createHarness, frameOf, templateOf, token, visit } from '@svc/device-sdk/testing';
import { type ConfigureRequest, checkOf, toBase64Url } from '@svc/device-sdk-native';
import { startNativeHost, type ViewSettings } from '../native/native-host.ts';
import { FakeShell } from './fake-shell.ts';

type Harness = ReturnType<typeof createHarness>;
type Scenes = ReturnType<typeof visit>;

/** Takes a text and may deliver it: not at all, twice, late, another one. */
type Wire = (text: string, deliver: (text: string) => void) => void;

/** A shell gives up later than its page. */
const SHELL_WAITS_MS = 3 * 60_000;

export const passOn: Wire = (text, deliver) => deliver(text);

/** A native shell with its page, both in this process: the engine, the time and the service are fakes. */
export class NativeStage {
  readonly harness: Harness = createHarness();
  readonly shell: FakeShell;
  /** Texts of both directions, all loads. */
  readonly texts: { readonly from: 'page' | 'shell'; readonly text: string }[] = [];
  wires: { toShell: Wire; toPage: Wire } = { toShell: passOn, toPage: passOn };
  scenes: Scenes = visit(1, 'left');
  /** Called at each frame that the camera gives. */
  onFrame: (index: number) => Promise<void> | void = () => undefined;
  reducesMotion = false;
  /** Calls to the shell's stores and network that run now. */
  busy = 0;
  settings: ViewSettings | null = null;
  readonly shown: (Prompt | null)[] = [];
  #deliver: (text: string) => void = () => undefined;
  #loads = 0;
  #attempts = 0;

  constructor() {
    const { service } = this.harness;
    service.enrol('ticket-1', templateOf(1));
    service.enrol('ticket-2', templateOf(2));
    const { keyStore, packStore } = this.harness.ports;
    // The service in memory reads headers by their names in its own case.
    const named = (name: string) => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
    const transport: Harness['ports']['transport'] = ({ headers, ...request }) => {
      const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [named(name), value]));
      return this.harness.ports.transport({ ...request, headers: own });
    };
    const storage = {
      keyStore: this.#counted(keyStore),
      packStore: this.#counted(packStore),
      transport: this.#count(transport),
    };
    this.shell = new FakeShell(storage, (text) => {
      this.texts.push({ from: 'shell', text });
      // Never within the call that sends, as with any bridge.
      queueMicrotask(() => this.wires.toPage(text, (delivered) => this.#deliver(delivered)));
    });
  }

  /** The same with its running calls in {@link busy}. */
  #counted<T extends object>(store: T): T {
    return new Proxy(store, {
      get: (target, name, receiver) => {
        const operation: unknown = Reflect.get(target, name, receiver);
        return typeof operation === 'function' ? this.#count(operation.bind(target)) : operation;
      },
    });
  }

  #count<Args extends unknown[], T>(operation: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
    return async (...args) => {
      this.busy += 1;
      try {
        return await operation(...args);
      } finally {
        this.busy -= 1;
      }
    };
  }

  /** Loads the page; the former one is gone, as after the end of its renderer. Resolves at its hello. */
  async load(): Promise<void> {
    this.crash();
    const load = this.#loads;
    const greeted = new Promise<void>((resolve) => {
      this.shell.onHello = resolve;
    });
    startNativeHost({
      bridge: {
        send: (text) => {
          if (load !== this.#loads) return;
          this.texts.push({ from: 'page', text });
          const message: unknown = JSON.parse(text);
          if (!checkOf('FromPage')(message)) throw new Error(`the page broke the contract: ${text.slice(0, 300)}`);
          queueMicrotask(() => {
            if (load === this.#loads) this.wires.toShell(text, (delivered) => this.shell.channel.receive(delivered));
          });
        },
        receive: (listener) => {
          this.#deliver = listener;
        },
      },
      ports: this.harness.ports,
      sdkVersion: '0.0.0',
      reducesMotion: () => this.reducesMotion,
      createModels: async () => ({
        engine: this.harness.engine,
        passiveLiveness: this.harness.engine.passive,
        dispose: () => undefined,
      }),
      createView: (settings) => {
        this.settings = settings;
        return { show: (prompt) => void this.shown.push(prompt), camera: (onPrompt) => this.#camera(onPrompt) };
      },
    });
    await greeted;
  }

  /** The renderer ends here: the page sends and hears nothing more. */
  crash(): void {
    this.#loads += 1;
    this.#deliver = () => undefined;
  }

  configure(over: Partial<ConfigureRequest> = {}) {
    const { service } = this.harness;
    const body: ConfigureRequest = {
      minor: 0,
      deviceToken: token(1),
      region: service.region,
      passiveLiveness: 'required',
      lightChallenge: 'off',
      prompts: 'page',
      camera: 'user',
      shell: { platform: 'test', version: '0', osVersion: '0' },
      ...over,
    };
    return this.shell.channel.request('configure', body, { timeoutMs: SHELL_WAITS_MS });
  }

  newAttempt(): string {
    this.#attempts += 1;
    return toBase64Url(new Uint8Array(16).fill(this.#attempts));
  }

  async verify(scannedId = 'ticket-1', attempt = this.newAttempt()): Promise<string> {
    const asked = { attempt, scannedId, headTurn: 'asked' } as const;
    const { outcome, reason } = (await this.shell.channel.request('verify', asked, { timeoutMs: SHELL_WAITS_MS }))
      .result;
    return `${outcome}/${reason}`;
  }

  /** Loads, configures and syncs. */
  async ready(): Promise<this> {
    await this.load();
    await this.configure();
    const result = await this.sync();
    if (!result.ok) throw new Error(`the first sync failed: ${result.reason}`);
    return this;
  }

  async sync() {
    return (await this.shell.channel.request('sync', {}, { timeoutMs: SHELL_WAITS_MS })).result;
  }

  #camera(onPrompt: (prompt: Prompt) => void): Camera {
    const stage = this;
    return {
      timing: 'recorded',
      prompt: onPrompt,
      async *frames() {
        for (const [i, head] of stage.scenes.entries()) {
          await stage.onFrame(i);
          yield frameOf({ heads: [head] }, i * 100);
        }
      },
    };
  }
}
