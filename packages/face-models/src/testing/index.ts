/** For the tests of other packages; not published. */
export { sharedData, temporaryDirectory } from './folders.ts';
/** Weights that nobody trained. */
export { untrainedPresence } from './untrained-presence.ts';
