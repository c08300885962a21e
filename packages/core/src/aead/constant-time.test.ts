import { createCipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { patternBytes } from '../testing/patterns.ts';
import { type LeakKind, TaintMachine } from '../testing/taint/machine.ts';
import { readModule, type WasmModule } from '../testing/taint/module.ts';

function load(file: string): WasmModule {
  return readModule(readFileSync(createRequire(import.meta.url).resolve(`@svc/wasm/${file}`)));
}

// The kernel's tables and work space lie below the heap.
const keyAt = 65_536;
const nonceAt = keyAt + 32;
const tagAt = nonceAt + 16;
const aadAt = tagAt + 16;
const dataAt = aadAt + 4096;
const pages = 3;

// One block and less, a batch, the end of a sweep, the start of folding, more than 256 counters; the longest covers
// all.
const allLengths = [0, 1, 16, 97, 544, 1000, 2048, 4500];
const modules: readonly (readonly [file: string, lengths: readonly number[]])[] = [
  ['core-simd.wasm', allLengths],
  ['core-scalar.wasm', [0, 97, 4500]],
];

function reference(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad);
  return new Uint8Array(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]));
}

describe.each(modules)('AES-256-GCM of %s', (file, lengths) => {
  let module: WasmModule;
  beforeAll(() => {
    module = load(file);
  });

  const key = patternBytes('constant-time key', 32);
  const nonce = patternBytes('constant-time nonce', 12);
  const aad = patternBytes('constant-time aad', 37);

  it.each(lengths)('seals %i bytes without a branch or address that depends on key or plaintext', (length) => {
    const plaintext = patternBytes('constant-time plaintext', length);
    const machine = new TaintMachine(module, pages);
    machine.place(keyAt, key, true);
    machine.place(nonceAt, nonce, false);
    machine.place(aadAt, aad, false);
    machine.place(dataAt, plaintext, true);
    machine.call('gcmSeal', keyAt, nonceAt, aadAt, aad.length, dataAt, length, tagAt);
    expect(machine.leaks).toEqual([]);

    // The machine computed the real result, and the secret reached all of it.
    const sealed = reference(key, nonce, aad, plaintext);
    expect(machine.memory.slice(dataAt, dataAt + length)).toEqual(sealed.slice(0, length));
    expect(machine.memory.slice(tagAt, tagAt + 16)).toEqual(sealed.slice(length));
    expect(machine.secrets.slice(dataAt, dataAt + length).every((secret) => secret === 1)).toBe(true);
    expect(machine.secrets.slice(tagAt, tagAt + 16).every((secret) => secret === 1)).toBe(true);
  });

  it.each(lengths)('opens %i bytes with one such branch alone, on the verdict', (length) => {
    const plaintext = patternBytes('constant-time plaintext', length);
    const sealed = reference(key, nonce, aad, plaintext);
    for (const forged of [false, true]) {
      const machine = new TaintMachine(module, pages);
      machine.place(keyAt, key, true);
      machine.place(nonceAt, nonce, false);
      machine.place(aadAt, aad, false);
      machine.place(dataAt, sealed.slice(0, length), false);
      machine.place(tagAt, sealed.slice(length), false);
      if (forged) machine.place(tagAt, Uint8Array.of((sealed[length] ?? 0) ^ 1), false);
      const { result, index } = machine.call('gcmOpen', keyAt, nonceAt, aadAt, aad.length, dataAt, length, tagAt);
      expect(result).toBe(forged ? 1 : 0);
      expect(machine.leaks.map(({ kind, functionIndex }) => ({ kind, functionIndex }))).toEqual([
        { kind: 'branch', functionIndex: index },
      ]);
      const left = forged ? sealed.slice(0, length) : plaintext;
      expect(machine.memory.slice(dataAt, dataAt + length)).toEqual(left);
    }
  });

  it('leaves no secret in its own work space', () => {
    const machine = new TaintMachine(module, pages);
    machine.place(keyAt, key, true);
    machine.place(dataAt, patternBytes('constant-time plaintext', 4500), true);
    machine.call('gcmSeal', keyAt, nonceAt, aadAt, aad.length, dataAt, 4500, tagAt);
    expect(machine.secrets.subarray(0, keyAt).includes(1)).toBe(false);
    machine.call('gcmOpen', keyAt, nonceAt, aadAt, aad.length, dataAt, 4500, tagAt);
    expect(machine.secrets.subarray(0, keyAt).includes(1)).toBe(false);
  });
});

describe('the check itself', () => {
  const secretAt = 1024;
  const otherAt = 2048;

  const planted: readonly [name: string, kind: LeakKind, ...parameters: number[]][] = [
    ['tableLookup', 'address', secretAt],
    ['earlyExit', 'branch', secretAt, otherAt, 16],
    ['chooseBySecret', 'select', secretAt],
    ['divideBySecret', 'division', secretAt],
    ['wipeBySecret', 'length', secretAt],
    ['throughMemory', 'address', secretAt],
  ];

  it.each(planted)('finds the leak of %s', (name, kind, ...parameters) => {
    const machine = new TaintMachine(load('controls.wasm'), 1);
    machine.place(secretAt, patternBytes('planted', 16), true);
    machine.call(name, ...parameters);
    expect(machine.leaks.map((leak) => leak.kind)).toContain(kind);
    // Public input runs through the same code without a finding.
    const open = new TaintMachine(load('controls.wasm'), 1);
    open.place(secretAt, patternBytes('planted', 16), false);
    open.call(name, ...parameters);
    expect(open.leaks).toEqual([]);
  });

  it('finds nothing in code that masks', () => {
    const machine = new TaintMachine(load('controls.wasm'), 1);
    machine.place(secretAt, patternBytes('planted', 16), true);
    machine.call('masked', secretAt, 16);
    expect(machine.leaks).toEqual([]);
    expect(machine.secrets.subarray(secretAt, secretAt + 16).every((secret) => secret === 1)).toBe(true);
  });
});
