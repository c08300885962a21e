/** Values that a pickle may hold here; classes and functions are names only. */
export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly PickleValue[]
  | ReadonlyMap<PickleValue, PickleValue>
  | PickleGlobal
  | PickleCall
  | PicklePersistentId;

/** `module.name` of a Python class or function; never looked up. */
interface PickleGlobal {
  readonly kind: 'global';
  readonly name: string;
}

/** A call in the pickle; recorded, not made. */
export interface PickleCall {
  readonly kind: 'call';
  readonly callee: string;
  readonly args: readonly PickleValue[];
}

interface PicklePersistentId {
  readonly kind: 'persistent-id';
  readonly id: PickleValue;
}

const mark = Symbol('mark');
type Slot = PickleValue | typeof mark;

/** Far above what these files need; limits hostile ones. */
const maxSteps = 1_000_000;

/**
 * Reads one pickle of protocol 2 (opcodes: Python's `pickletools`) as data.
 *
 * A pickle is a program for a stack machine that may name and call anything. This reader supports only opcodes that
 * build data, turns names into {@link PickleGlobal} and calls into {@link PickleCall}, and leaves both to its caller;
 * any other opcode is an error. Only `OrderedDict()` becomes a map at once, because its items follow as opcodes.
 *
 * @returns the value, and the position after the pickle
 * @throws Error for any other bytes
 */
export function readPickle(bytes: Uint8Array, start: number): { readonly value: PickleValue; readonly end: number } {
  const machine = new PickleMachine(bytes, start);
  for (let step = 0; step < maxSteps; step++) {
    const value = machine.step();
    if (value !== undefined) return { value, end: machine.position };
  }
  throw new Error('pickle: too long');
}

class PickleMachine {
  position: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #stack: Slot[] = [];
  readonly #memo = new Map<number, PickleValue>();

  constructor(bytes: Uint8Array, start: number) {
    this.position = start;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Executes one opcode. @returns the value at STOP, else undefined */
  step(): PickleValue | undefined {
    const opcode = this.#take(1);
    const handler = opcodes.get(this.#view.getUint8(opcode));
    if (handler === undefined) throw new Error('pickle: opcode not allowed');
    return handler(this);
  }

  push(value: Slot): void {
    this.#stack.push(value);
  }

  pop(): PickleValue {
    const value = this.#stack.pop();
    if (value === undefined || value === mark) throw new Error('pickle: stack is empty');
    return value;
  }

  popTuple(): readonly PickleValue[] {
    const value = this.pop();
    if (!Array.isArray(value)) throw new Error('pickle: no tuple');
    return value as readonly PickleValue[];
  }

  popToMark(): PickleValue[] {
    const at = this.#stack.lastIndexOf(mark);
    if (at < 0) throw new Error('pickle: no mark');
    return this.#stack.splice(at).slice(1) as PickleValue[];
  }

  /** Adds pairs to the map below them on the stack. */
  setItems(items: readonly PickleValue[]): void {
    const target = this.pop();
    if (!(target instanceof Map) || items.length % 2 !== 0) throw new Error('pickle: no dictionary');
    for (let i = 0; i < items.length; i += 2) target.set(items[i], items[i + 1]);
    this.push(target);
  }

  appendItems(items: readonly PickleValue[]): void {
    const target = this.popTuple();
    // In place, because the list may be memoised.
    for (const item of items) (target as PickleValue[]).push(item);
    this.push(target);
  }

  memoise(key: number): void {
    const value = this.pop();
    this.#memo.set(key, value);
    this.push(value);
  }

  recall(key: number): void {
    const value = this.#memo.get(key);
    if (value === undefined) throw new Error('pickle: nothing memoised');
    this.push(value);
  }

  uint8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  uint16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  int32(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** Two's complement, little-endian. */
  integer(length: number): bigint {
    const at = this.#take(length);
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.#view.getUint8(at + i));
    return BigInt.asIntN(8 * length, value);
  }

  utf8(length: number): string {
    const at = this.#take(length);
    return new TextDecoder('utf-8', { fatal: true }).decode(this.#bytes.subarray(at, at + length));
  }

  line(): string {
    const end = this.#bytes.indexOf(0x0a, this.position);
    if (end < 0) throw new Error('pickle: line without end');
    const value = this.utf8(end - this.position);
    this.position++;
    return value;
  }

  #take(length: number): number {
    const at = this.position;
    if (at + length > this.#bytes.length) throw new Error('pickle: cut off');
    this.position = at + length;
    return at;
  }
}

type Handler = (machine: PickleMachine) => PickleValue | undefined;

const does =
  (action: (machine: PickleMachine) => void): Handler =>
  (machine) => {
    action(machine);
    return undefined;
  };

function reduce(m: PickleMachine): void {
  const args = m.popTuple();
  const callee = m.pop();
  if (typeof callee !== 'object' || callee === null || !('kind' in callee) || callee.kind !== 'global') {
    throw new Error('pickle: no name to call');
  }
  const isMap = callee.name === 'collections.OrderedDict' && args.length === 0;
  m.push(isMap ? new Map() : { kind: 'call', callee: callee.name, args });
}

const opcodes: ReadonlyMap<number, Handler> = new Map<number, Handler>([
  [0x80, does((m) => void protocol(m))],
  [0x2e /* STOP */, (m) => m.pop()],
  [0x28 /* MARK */, does((m) => m.push(mark))],
  [0x4e /* NONE */, does((m) => m.push(null))],
  [0x88 /* NEWTRUE */, does((m) => m.push(true))],
  [0x89 /* NEWFALSE */, does((m) => m.push(false))],
  [0x4b /* BININT1 */, does((m) => m.push(m.uint8()))],
  [0x4d /* BININT2 */, does((m) => m.push(m.uint16()))],
  [0x4a /* BININT */, does((m) => m.push(m.int32()))],
  [0x8a /* LONG1 */, does((m) => m.push(m.integer(m.uint8())))],
  [0x58 /* BINUNICODE */, does((m) => m.push(m.utf8(m.uint32())))],
  [0x29 /* EMPTY_TUPLE */, does((m) => m.push([]))],
  [0x85 /* TUPLE1 */, does((m) => m.push([m.pop()]))],
  [0x86 /* TUPLE2 */, does((m) => m.push([m.pop(), m.pop()].reverse()))],
  [0x87 /* TUPLE3 */, does((m) => m.push([m.pop(), m.pop(), m.pop()].reverse()))],
  [0x74 /* TUPLE */, does((m) => m.push(m.popToMark()))],
  [0x5d /* EMPTY_LIST */, does((m) => m.push([]))],
  [0x61 /* APPEND */, does((m) => m.appendItems([m.pop()]))],
  [0x65 /* APPENDS */, does((m) => m.appendItems(m.popToMark()))],
  [0x7d /* EMPTY_DICT */, does((m) => m.push(new Map()))],
  [0x73 /* SETITEM */, does((m) => m.setItems([m.pop(), m.pop()].reverse()))],
  [0x75 /* SETITEMS */, does((m) => m.setItems(m.popToMark()))],
  [0x71 /* BINPUT */, does((m) => m.memoise(m.uint8()))],
  [0x72 /* LONG_BINPUT */, does((m) => m.memoise(m.uint32()))],
  [0x68 /* BINGET */, does((m) => m.recall(m.uint8()))],
  [0x6a /* LONG_BINGET */, does((m) => m.recall(m.uint32()))],
  [0x63 /* GLOBAL */, does((m) => m.push({ kind: 'global', name: `${m.line()}.${m.line()}` }))],
  [0x51 /* BINPERSID */, does((m) => m.push({ kind: 'persistent-id', id: m.pop() }))],
  [0x52 /* REDUCE */, does(reduce)],
  // State of an object, here only torch's version marks on its dictionaries: ignored.
  [0x62 /* BUILD */, does((m) => void m.pop())],
]);

function protocol(m: PickleMachine): void {
  if (m.uint8() !== 2) throw new Error('pickle: not of protocol 2');
}
