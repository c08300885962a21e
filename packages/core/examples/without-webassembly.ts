// Opens a sealed record where there is no WebAssembly, as in some edge functions: the same bytes, by @noble/ciphers.
import { createNobleAead } from '@svc/core/aead-noble';
import { type OpenRecordInput, openRecord } from '@svc/core/pack';

const aead = createNobleAead();

/** @returns the template, `Float32Array[dimension]`; the caller wipes it. @throws FaceError `open-failed` */
export const openWithoutWebAssembly = (sealed: OpenRecordInput): Promise<Float32Array> => openRecord(aead, sealed);
