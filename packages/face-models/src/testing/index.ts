/** For the tests of other packages; not published. */
export { sharedData } from './shared-data.ts';
export { temporaryDirectory } from './temporary-directory.ts';
/** Weights that nobody trained. */
export { untrainedPresence } from './untrained-presence.ts';
