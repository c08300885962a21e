/** The contract between a native shell and the page of the device SDK: types, codec, and both sides of a session. */
export { fromBase64Url, toBase64Url } from './bytes.ts';
export { type EventHandlers, type Handlers, PageChannel, type RequestOptions, ShellChannel } from './channel.ts';
export { checkOf } from './check.ts';
export {
  type Envelope,
  MAX_CHUNK_BYTES,
  MAX_DEPTH,
  MAX_MESSAGE_BYTES,
  type Received,
  type ReceiverState,
  type RefusalCode,
  readMessage,
  type Side,
  withWholeMs,
  writeMessage,
} from './codec.ts';
export { ContractError } from './contract-error.ts';
export type * from './messages.ts';

/** Minor version of the contract that this release speaks. */
export const CONTRACT_MINOR = 0;
