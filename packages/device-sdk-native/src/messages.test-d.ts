import type * as sdk from '@svc/device-sdk';
import { expectTypeOf } from 'vitest';
import type { Handlers, PageChannel } from './channel.ts';
import type * as contract from './generated/messages.ts';

// Checked by the compiler alone: the contract carries the SDK's own types, to the letter.

/** A type with each object's members in one place, so that two ways of writing it compare. */
type Plain<T> = T extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : T extends object
    ? { [Member in keyof T]: Plain<T[Member]> }
    : T;

expectTypeOf<Plain<contract.VerificationResult>>().toEqualTypeOf<Plain<sdk.VerificationResult>>();
expectTypeOf<Plain<contract.SyncResult>>().toEqualTypeOf<Plain<sdk.SyncResult>>();
expectTypeOf<Plain<contract.Prompt>>().toEqualTypeOf<Plain<sdk.Prompt>>();
expectTypeOf<Plain<contract.DeviceStatus>>().toEqualTypeOf<Plain<sdk.DeviceStatus>>();

// The whole of the lists of names that the contract writes itself, which shells have as enumerations.
expectTypeOf<contract.WipeReason>().toEqualTypeOf<Extract<sdk.SyncResult, { outcome: 'wiped' }>['reason']>();
expectTypeOf<contract.PromptKey>().toEqualTypeOf<sdk.Prompt['key']>();
expectTypeOf<contract.TurnDirection>().toEqualTypeOf<sdk.TurnDirection>();

// A request names its answer, and a page takes no request of its own.
declare const page: PageChannel;
expectTypeOf(page.request('keyStore.hasDeviceKey', {})).resolves.toEqualTypeOf<contract.HasAnswer>();
// @ts-expect-error a request of the shell
void page.request('sync', {});
// @ts-expect-error a handler that answers in another form
const handlers: Pick<Handlers<contract.PageRequests>, 'keyStore.mac'> = { 'keyStore.mac': () => ({ mac: 7 }) };
void handlers;
