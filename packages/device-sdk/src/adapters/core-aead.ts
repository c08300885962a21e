import { loadCore } from '@svc/core';
import { type Aead, createWasmAead } from '@svc/core/aead';

const opened = async () => createWasmAead(await loadCore());

/** The core's AEAD, loaded at the first call: a device whose core does not load still deletes what is due. */
export const coreAead: Aead = {
  name: 'wasm',
  seal: async (...message) => (await opened()).seal(...message),
  open: async (...message) => (await opened()).open(...message),
};
