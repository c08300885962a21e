import { sha256 } from '@noble/hashes/sha2.js';
import type { ArrivalKind } from '../admissions/arrivals.ts';
import { coreAead, type DevicePorts } from '../config.ts';
import { toBase64Url } from '../platform/bytes.ts';
import { AdmissionExchange } from '../sync/admission-exchange.ts';
import { ArrivalsReporter } from '../sync/report-arrivals.ts';
import { Synchroniser } from '../sync/synchroniser.ts';
import { type RegionSettings, resolveRegion } from '../trust/region.ts';
import { Vault } from '../vault/vault.ts';

/**
 * A device without a camera: what its verifications come to is told by the test, for as many guests as it likes. Stores,
 * sync and reports are a device's.
 * @param engineIds of the list
 */
export async function openVerifiedDoor(
  devicePorts: DevicePorts,
  { deviceToken, region, engineIds }: { deviceToken: string; region: RegionSettings; engineIds: readonly string[] },
) {
  const ports = { ...devicePorts, aead: devicePorts.aead ?? coreAead };
  const resolved = resolveRegion(region);
  const vault = await Vault.open(ports, toBase64Url(sha256(new TextEncoder().encode(deviceToken))));
  const { baseUrl } = resolved;
  const arrivals = new ArrivalsReporter({ counts: vault.admissions, baseUrl, deviceToken, ports });
  const onEnd = () => undefined;
  const exchange = new AdmissionExchange({ vault, region: resolved, deviceToken, ports, onEnd });
  const synchroniser = new Synchroniser({
    ...{ vault, region: resolved, deviceToken, engineIds, ports, attendances: ['staffed'] },
    limits: { maxBytes: 2 ** 24, timeoutMs: 10_000 },
    onStored: (cancel) => arrivals.report(cancel),
    onBegin: () => undefined,
    onEnd,
  });
  return {
    vault,
    /** Also tells what was counted. */
    async sync() {
      const result = await synchroniser.sync();
      await arrivals.sent;
      return result;
    },
    /** Lets a guest in whose face matched, with the record of `like`, who is on the list. */
    async admit(personId: string, like: string) {
      const { found } = await vault.find(like, engineIds);
      if (found === null) throw new Error('nobody is on the list whose record could stand for others');
      return vault.admissions.admit({ ...found, personId }, exchange);
    },
    /** Tells and learns whom the list's doors let in. */
    share: () => exchange.share(),
    turnAway: (personId: string, kind: ArrivalKind) => vault.admissions.turnAway(personId, kind, null),
    takeBack: (personId: string) => vault.admissions.takeBack(personId),
  };
}
