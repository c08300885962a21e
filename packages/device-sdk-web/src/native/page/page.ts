/** The page that a native shell shows: the device of this package, with the shell's keys, packs and network. */
import '../../older-browsers.ts';
import { SDK_VERSION, webClock, webRandom, webTimers } from '@svc/device-sdk/adapters';
import { config } from 'zod/v4/core';
import { createWorkerEngine } from '../../engine/worker-engine.ts';
import { type NativeModels, startNativeHost } from '../native-host.ts';
import { createPageView } from './page-view.ts';
import { openShellBridge } from './shell-bridge.ts';

window.svcDeviceStart.isRunning = true;
// Otherwise zod probes for `eval`, which the page's policy forbids and reports as a violation.
config({ jitless: true });
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

async function createModels(withPassive: boolean): Promise<NativeModels> {
  const { engine, passiveLiveness, dispose } = await createWorkerEngine({ assetsUrl: './', passive: withPassive });
  return { engine, passiveLiveness, dispose };
}

async function main(): Promise<void> {
  const fault = startNativeHost({
    bridge: await openShellBridge(),
    ports: { clock: webClock, timers: webTimers, random: webRandom },
    sdkVersion: SDK_VERSION,
    createModels,
    createView: createPageView,
    reducesMotion: () => reducedMotion.matches,
  });
  // The error itself could name a person.
  for (const event of ['error', 'unhandledrejection']) {
    addEventListener(event, () => fault('runtime-failed', 'the page has an error that it did not expect'));
  }
}

void main();
