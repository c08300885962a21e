// Installs the recommended add-ons, for scripts/lib/setup.mjs and the kiosk's build. Exit code 3: not all are there, and why
// was told.
import { ensureRecommended } from '../src/node/recommended.ts';

const isDone = await ensureRecommended({ tell: (line) => process.stderr.write(`models: ${line}\n`) }).catch(
  (error: unknown) => {
    process.stderr.write(`models: ${error instanceof Error ? error.message : String(error)}\n`);
    return null;
  },
);
// At once: the look-up of a name may go on for long.
process.exit(isDone === null ? 1 : isDone ? 0 : 3);
