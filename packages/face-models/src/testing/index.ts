/** For the tests of other packages; not published. */
export { sharedData, temporaryDirectory } from './folders.ts';
/** Untrained weights. */
export { untrainedPresence } from './untrained-presence.ts';
