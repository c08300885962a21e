/** The contract between a native shell and the page of the device SDK: types, and the check of messages. */
export { checkOf } from './check.ts';
export type * from './messages.ts';

/** Minor version of the contract that this release speaks. */
export const CONTRACT_MINOR = 0;
