// Executes WebAssembly and tracks secrets. A value computed from a secret is tainted, and so is memory written with
// one. A leak is recorded wherever a tainted value determines control flow, an address, the size of a fill, or an
// operand of a division or select. Taint is never removed: a vector with one secret byte is tainted as a whole. A run
// without leaks has, for these lengths, the same trace of instructions and addresses for all secrets.

import { bulk, type Instruction, simd, typeI64, typeV128, type WasmFunction, type WasmModule } from './module.ts';
import {
  loads,
  onInt32,
  onInt64,
  onScalar,
  onVector,
  onVectorAndShift,
  onVectors,
  replaceBytes,
  replaceLane,
  type Scalar,
  shuffle,
  splat,
  splatBytes,
  stores,
  toBytes,
} from './operations.ts';

interface Value {
  readonly value: Scalar;
  readonly secret: boolean;
}

export type LeakKind = 'branch' | 'address' | 'length' | 'select' | 'division';

export interface Leak {
  readonly kind: LeakKind;
  readonly functionIndex: number;
  /** Position of the instruction in its function. */
  readonly position: number;
}

interface Label {
  readonly instruction: Instruction;
  readonly height: number;
  readonly start: number;
}

const divisions = new Set([0x6d, 0x6e, 0x6f, 0x70]);
const pageBytes = 65_536;

export class TaintMachine {
  readonly memory: Uint8Array;
  /** 1 for each byte of memory that is secret. */
  readonly secrets: Uint8Array;
  readonly #module: WasmModule;
  readonly #leaks = new Map<string, Leak>();
  /** Instructions executed so far. */
  steps = 0;

  constructor(module: WasmModule, pages: number) {
    this.#module = module;
    this.memory = new Uint8Array(Math.max(pages, module.memoryPages) * pageBytes);
    this.secrets = new Uint8Array(this.memory.length);
  }

  /** Each leaking place, once. */
  get leaks(): readonly Leak[] {
    return [...this.#leaks.values()];
  }

  /** Copies bytes into memory, as secret or public. */
  place(address: number, bytes: Uint8Array, secret: boolean): void {
    this.memory.set(bytes, address);
    this.secrets.fill(secret ? 1 : 0, address, address + bytes.length);
  }

  /** Calls an export with public i32 arguments. */
  call(
    name: string,
    ...parameters: readonly number[]
  ): { readonly result: number | undefined; readonly index: number } {
    const index = this.#module.exports.get(name);
    if (index === undefined) throw new Error(`no export ${name}`);
    const result = this.#run(
      index,
      parameters.map((value) => ({ value, secret: false })),
    );
    const [first] = result;
    return { result: first === undefined ? undefined : Number(first.value), index };
  }

  #leak(kind: LeakKind, value: Value, functionIndex: number, position: number): void {
    if (value.secret) this.#leaks.set(`${kind} ${functionIndex} ${position}`, { kind, functionIndex, position });
  }

  #run(functionIndex: number, parameters: readonly Value[]): readonly Value[] {
    const body = this.#module.functions[functionIndex];
    if (body === undefined) throw new Error('no such function');
    const locals = [...parameters, ...body.locals.map(zero)];
    const stack: Value[] = [];
    const labels: Label[] = [];
    const pop = (): Value => {
      const value = stack.pop();
      if (value === undefined) throw new Error('stack underflow');
      return value;
    };
    let position = 0;
    const enter = (instruction: Instruction): void => {
      labels.push({ instruction, height: stack.length, start: position });
    };
    /** Position after a branch; -1 leaves the function. */
    const branch = (depth: number): number => {
      const target = labels.length - 1 - depth;
      const label = labels[target];
      if (label === undefined) return -1;
      const loops = label.instruction.opcode === 0x03;
      const results = loops || label.instruction.results === 0 ? [] : [pop()];
      stack.length = label.height;
      stack.push(...results);
      labels.length = loops ? target + 1 : target;
      return loops ? label.start : label.instruction.end;
    };

    for (; position >= 0 && position < body.code.length; position++) {
      const instruction = instructionAt(body, position);
      const { opcode } = instruction;
      this.steps++;
      if (opcode === 0x20) {
        stack.push(localAt(locals, instruction.index));
      } else if (opcode === 0x21) {
        locals[instruction.index] = pop();
      } else if (opcode === 0x22) {
        const value = pop();
        locals[instruction.index] = value;
        stack.push(value);
      } else if (opcode === 0x02 || opcode === 0x03) {
        enter(instruction);
      } else if (opcode === 0x04) {
        const condition = pop();
        this.#leak('branch', condition, functionIndex, position);
        enter(instruction);
        if (condition.value === 0) {
          position = instruction.otherwise;
          if (instruction.otherwise === instruction.end) labels.pop();
        }
      } else if (opcode === 0x05) {
        position = branch(0);
      } else if (opcode === 0x0b) {
        labels.pop();
      } else if (opcode === 0x0c) {
        position = branch(instruction.index);
        if (position < 0) break;
      } else if (opcode === 0x0d) {
        const condition = pop();
        this.#leak('branch', condition, functionIndex, position);
        if (condition.value !== 0) position = branch(instruction.index);
        if (position < 0) break;
      } else if (opcode === 0x0f) {
        break;
      } else if (opcode === 0x10) {
        const callee = this.#module.functions[instruction.index];
        const taken = stack.splice(stack.length - (callee?.parameters ?? 0));
        stack.push(...this.#run(instruction.index, taken));
      } else if (opcode === 0x1a) {
        pop();
      } else if (opcode === 0x1b) {
        const condition = pop();
        const b = pop();
        const a = pop();
        this.#leak('select', condition, functionIndex, position);
        stack.push(derived((condition.value === 0 ? b : a).value, condition, a, b));
      } else if (opcode === bulk(11) || opcode === bulk(10)) {
        const length = pop();
        const source = pop();
        const target = pop();
        this.#leak('length', length, functionIndex, position);
        this.#leak('address', target, functionIndex, position);
        const [to, count] = [Number(target.value), Number(length.value)];
        if (opcode === bulk(11)) {
          this.memory.fill(Number(source.value), to, to + count);
          this.secrets.fill(source.secret ? 1 : 0, to, to + count);
        } else {
          this.#leak('address', source, functionIndex, position);
          const from = Number(source.value);
          this.memory.copyWithin(to, from, from + count);
          this.secrets.copyWithin(to, from, from + count);
        }
      } else if (loads.has(opcode)) {
        const address = pop();
        this.#leak('address', address, functionIndex, position);
        stack.push(this.#load(instruction, address));
      } else if (stores.has(opcode)) {
        const value = pop();
        const address = pop();
        this.#leak('address', address, functionIndex, position);
        this.#store(instruction, address, value);
      } else {
        if (divisions.has(opcode)) {
          const [a, b] = [stack.at(-2), stack.at(-1)];
          for (const operand of [a, b])
            if (operand !== undefined) this.#leak('division', operand, functionIndex, position);
        }
        stack.push(compute(instruction, pop));
      }
    }
    return stack.slice(stack.length - body.results);
  }

  #load(instruction: Instruction, address: Value): Value {
    const access = loads.get(instruction.opcode);
    if (access === undefined) throw new Error('not a load');
    const at = (Number(address.value) >>> 0) + instruction.offset;
    if (at + access.bytes > this.memory.length) throw new Error('load out of bounds');
    const secret = address.secret || this.secrets.subarray(at, at + access.bytes).includes(1);
    return { value: access.read(this.memory.slice(at, at + access.bytes)), secret };
  }

  #store(instruction: Instruction, address: Value, value: Value): void {
    const bytes = stores.get(instruction.opcode) ?? 0;
    const at = (Number(address.value) >>> 0) + instruction.offset;
    if (at + bytes > this.memory.length) throw new Error('store out of bounds');
    this.memory.set(toBytes(value.value, bytes), at);
    this.secrets.fill(value.secret ? 1 : 0, at, at + bytes);
  }
}

function derived(value: Scalar, ...from: readonly Value[]): Value {
  return { value, secret: from.some((input) => input.secret) };
}

/** Executes an instruction that only pops values and pushes one. */
function compute(instruction: Instruction, pop: () => Value): Value {
  const { opcode, constant } = instruction;
  const vector = (value: Value): Uint8Array => value.value as Uint8Array;
  const scalar = (value: Value): number | bigint => value.value as number | bigint;
  if (opcode === 0x41 || opcode === 0x42 || opcode === simd(12)) return derived(constant);
  const last = pop();
  const unary = onScalar.get(opcode);
  if (unary !== undefined) return derived(unary(scalar(last)), last);
  const splatted = splatBytes.get(opcode);
  if (splatted !== undefined) return derived(splat(scalar(last), splatted), last);
  const reduced = onVector.get(opcode);
  if (reduced !== undefined) return derived(reduced(vector(last)), last);

  const first = pop();
  const binary32 = onInt32.get(opcode);
  if (binary32 !== undefined) return derived(binary32(Number(first.value), Number(last.value)), first, last);
  const binary64 = onInt64.get(opcode);
  if (binary64 !== undefined) return derived(binary64(BigInt(scalar(first)), BigInt(scalar(last))), first, last);
  const shift = onVectorAndShift.get(opcode);
  if (shift !== undefined) return derived(shift(vector(first), Number(last.value)), first, last);
  const binary = onVectors.get(opcode);
  if (binary !== undefined) return derived(binary(vector(first), vector(last)), first, last);
  if (opcode === simd(13)) return derived(shuffle(vector(first), vector(last), constant as Uint8Array), first, last);
  const lane = replaceBytes.get(opcode);
  if (lane !== undefined)
    return derived(replaceLane(vector(first), instruction.index, scalar(last), lane), first, last);
  throw new Error(`instruction 0x${opcode.toString(16)} is not known here`);
}

function zero(type: number): Value {
  return { value: type === typeV128 ? new Uint8Array(16) : type === typeI64 ? 0n : 0, secret: false };
}

function instructionAt(body: WasmFunction, position: number): Instruction {
  const instruction = body.code[position];
  if (instruction === undefined) throw new Error('no such instruction');
  return instruction;
}

function localAt(locals: readonly Value[], index: number): Value {
  const local = locals[index];
  if (local === undefined) throw new Error('no such local');
  return local;
}
