/** Tells the programs where the release lies that they belong to. */
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';

env.SVC_RELEASE = join(dirname(fileURLToPath(import.meta.url)), '..');
// Empty counts as absent, as with every setting.
env.SVC_MODELS_DIR ||= join(env.SVC_RELEASE, 'models');
