import { addresseeCases } from './addressee-cases.ts';
import { changesCases } from './changes-cases.ts';
import { envelopeCases } from './envelope-cases.ts';
import type { HostileCase } from './hostile-case.ts';
import { listKeyCases } from './list-key-cases.ts';
import { manifestCases } from './manifest-cases.ts';
import { signatureCases } from './signature-cases.ts';
import { transportCases } from './transport-cases.ts';
import { unchangedCases } from './unchanged-cases.ts';
import { wholePackCases } from './whole-pack-cases.ts';
import { wipeCases } from './wipe-cases.ts';

/**
 * The sync conformance suite: every known lie, with the check that must detect it. A device refuses each for this
 * reason, stores nothing of it, and verifies as before.
 */
export const hostileCases: readonly HostileCase[] = [
  ...transportCases,
  ...envelopeCases,
  ...signatureCases,
  ...manifestCases,
  ...addresseeCases,
  ...wholePackCases,
  ...changesCases,
  ...unchangedCases,
  ...listKeyCases,
  ...wipeCases,
];
