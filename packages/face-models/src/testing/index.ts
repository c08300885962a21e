/** Weights that nobody trained, for the tests of other packages; not published. */
export { untrainedPresence } from './untrained-presence.ts';
