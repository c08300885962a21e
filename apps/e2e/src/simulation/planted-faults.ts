import type { DevicePorts } from '@svc/device-sdk';
import { DAY_MS } from '@svc/protocol';
import type { PlantedFault } from './world.ts';

const MAC_BYTES = 32;
const LABEL = new TextEncoder().encode('svc/trust/v1\0');

interface KeptState {
  identity: { version: number; stateHash: string } | null;
  list: { leaseExpiresAtMs: number; retentionDeadlineMs: number | null } | null;
}

/** A device whose stored state is changed by `change`, with a matching MAC. */
const readingState =
  (change: (state: KeptState) => void) =>
  (ports: DevicePorts): DevicePorts => ({
    ...ports,
    packStore: {
      ...ports.packStore,
      readState: async () => {
        const sealed = await ports.packStore.readState();
        if (sealed === null) return null;
        const state = JSON.parse(new TextDecoder().decode(sealed.subarray(MAC_BYTES))) as KeptState;
        change(state);
        const json = new TextEncoder().encode(JSON.stringify(state));
        const mac = await ports.keyStore.mac(Uint8Array.from([...LABEL, ...json]));
        return Uint8Array.from([...mac, ...json]);
      },
    },
  });

function withoutTime(ports: DevicePorts): DevicePorts {
  const [wallMs, monotonicMs] = [ports.clock.wallMs(), ports.clock.monotonicMs()];
  return { ...ports, clock: { wallMs: () => wallMs, monotonicMs: () => monotonicMs } };
}

function keepingKeys(ports: DevicePorts): DevicePorts {
  const hidden = new Set<number>();
  const { keyStore } = ports;
  return {
    ...ports,
    keyStore: {
      ...keyStore,
      deleteListKeys: async (generation) => void hidden.add(generation),
      listKeyGenerations: async () => (await keyStore.listKeyGenerations()).filter((one) => !hidden.has(one)),
    },
  };
}

/** Faults by name, each of which the simulation must find. `firstSeed`: a seed from which the search is short. */
export const plantedFaults: Readonly<Record<string, PlantedFault & { readonly firstSeed?: number }>> = {
  'a device for which no time passes': { firstSeed: 3, ports: withoutTime },
  'a device that lengthens its lease': {
    firstSeed: 39,
    ports: readingState(({ list }) => {
      if (list !== null) list.leaseExpiresAtMs += 10 * DAY_MS;
    }),
  },
  'a device that forgets the deadline': {
    firstSeed: 30,
    ports: readingState(({ list }) => {
      if (list !== null) list.retentionDeadlineMs = null;
    }),
  },
  'a device that takes older lists': {
    firstSeed: 94,
    ports: readingState(({ identity }) => {
      if (identity !== null) [identity.version, identity.stateHash] = [0, ''];
    }),
  },
  'a wipe that leaves the keys': { ports: keepingKeys },
  'a disk that forgets names': { forgetsToSync: true },
  'a service that goes on serving the erased': {
    stores: (stores) => ({ ...stores, people: { ...stores.people, removeFace: () => Promise.resolve() } }),
  },
  'a service that withholds nobody': {
    stores: (stores) => ({ ...stores, sync: { ...stores.sync, withholdDue: () => Promise.resolve() } }),
  },
  'a service that revokes in word alone': {
    firstSeed: 78,
    stores: (stores) => ({ ...stores, devices: { ...stores.devices, revoke: () => Promise.resolve('revoked') } }),
  },
  'a service that misses removals in what it says has changed': {
    firstSeed: 41,
    stores: (stores) => ({
      ...stores,
      sync: {
        ...stores.sync,
        changedFaces: async (...asked) => (await stores.sync.changedFaces(...asked)).filter((face) => face.isServed),
      },
    }),
  },
  'a restore that brings the erased back': {
    firstSeed: 51,
    stores: (stores) => ({ ...stores, restore: { ...stores.restore, revived: () => Promise.resolve([]) } }),
  },
  'a restore that begins old versions again': {
    firstSeed: 61,
    stores: (stores) => ({ ...stores, restore: { ...stores.restore, liftVersions: () => Promise.resolve(0) } }),
  },
};
