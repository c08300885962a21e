/** The contract between a native shell and the page of the device SDK: types, codec, and both sides of a session. */
export { fromBase64Url, toBase64Url } from './bytes.ts';
export { type EventHandlers, type Handlers, PageChannel, ShellChannel } from './channel.ts';
export { checkOf } from './check.ts';
export {
  ContractError,
  type Envelope,
  MAX_CHUNK_BYTES,
  type Received,
  readMessage,
  withWholeMs,
  writeMessage,
} from './codec.ts';
export type {
  CameraPermission,
  ConfigureRequest,
  DeviceStatus,
  FailureCode,
  Hello,
  OpenedListKeys,
  PageRequests,
  Prompt,
  ShellRequests,
  StatusBody,
  SyncAnswer,
  SyncResult,
  TakeBackAnswer,
  VerificationResult,
  VerifyAnswer,
  VerifyRequest,
} from './generated/messages.ts';

/** Minor version of the contract that this release speaks. */
export const CONTRACT_MINOR = 0;
