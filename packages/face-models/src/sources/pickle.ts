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
export interface PickleGlobal {
  readonly kind: 'global';
  readonly name: string;
}

/** A call in the pickle; recorded, not made. */
export interface PickleCall {
  readonly kind: 'call';
  readonly callee: string;
  readonly args: readonly PickleValue[];
}

export interface PicklePersistentId {
  readonly kind: 'persistent-id';
  readonly id: PickleValue;
}

const mark = Symbol('mark');

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
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stack: (PickleValue | typeof mark)[] = [];
  const memo = new Map<number, PickleValue>();
  let at = start;

  /** Position of the next `length` bytes, which are read. */
  const take = (length: number): number => {
    at += length;
    return at - length;
  };
  const uint8 = (): number => view.getUint8(take(1));
  const uint32 = (): number => view.getUint32(take(4), true);
  /** Two's complement, little-endian. */
  const integer = (length: number): bigint => {
    const from = take(length);
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(view.getUint8(from + i));
    return BigInt.asIntN(8 * length, value);
  };
  const utf8 = (length: number): string => {
    const from = take(length);
    if (at > bytes.length) throw new Error('pickle: cut off');
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(from, at));
  };
  const line = (): string => {
    const text = utf8(bytes.indexOf(0x0a, at) - at);
    take(1);
    return text;
  };
  const pop = (): PickleValue => {
    const value = stack.pop();
    if (value === undefined || value === mark) throw new Error('pickle: stack is empty');
    return value;
  };
  const popList = (): PickleValue[] => {
    const value = pop();
    if (!Array.isArray(value)) throw new Error('pickle: no list');
    return value as PickleValue[];
  };
  const popToMark = (): PickleValue[] => {
    const from = stack.lastIndexOf(mark);
    if (from < 0) throw new Error('pickle: no mark');
    return stack.splice(from).slice(1) as PickleValue[];
  };
  const append = (items: readonly PickleValue[]): PickleValue => {
    const list = popList();
    // In place, because the list may be memoised.
    for (const item of items) list.push(item);
    return list;
  };
  const set = (items: readonly PickleValue[]): PickleValue => {
    const map = pop();
    if (!(map instanceof Map)) throw new Error('pickle: no dictionary');
    for (let i = 0; i < items.length; i += 2) map.set(items[i], items[i + 1]);
    return map;
  };
  const memoise = (key: number): PickleValue => {
    const value = pop();
    memo.set(key, value);
    return value;
  };
  const recall = (key: number): PickleValue => {
    const value = memo.get(key);
    if (value === undefined) throw new Error('pickle: nothing memoised');
    return value;
  };
  const call = (): PickleValue => {
    const args = popList();
    const callee = pop();
    if (typeof callee !== 'object' || callee === null || !('kind' in callee) || callee.kind !== 'global') {
      throw new Error('pickle: no name to call');
    }
    const isMap = callee.name === 'collections.OrderedDict' && args.length === 0;
    return isMap ? new Map() : { kind: 'call', callee: callee.name, args };
  };
  /** What opcodes leave on the stack. */
  const results: Readonly<Record<number, () => PickleValue | typeof mark>> = {
    40: () => mark, // MARK
    41: () => [], // EMPTY_TUPLE
    74: () => view.getInt32(take(4), true), // BININT
    75: uint8, // BININT1
    77: () => view.getUint16(take(2), true), // BININT2
    78: () => null, // NONE
    81: () => ({ kind: 'persistent-id', id: pop() }), // BINPERSID
    82: call, // REDUCE
    88: () => utf8(uint32()), // BINUNICODE
    93: () => [], // EMPTY_LIST
    // BUILD. The state of an object, here only torch's version marks on its dictionaries, is ignored.
    98: () => {
      pop();
      return pop();
    },
    99: () => ({ kind: 'global', name: `${line()}.${line()}` }), // GLOBAL
    101: () => append(popToMark()), // APPENDS
    104: () => recall(uint8()), // BINGET
    106: () => recall(uint32()), // LONG_BINGET
    113: () => memoise(uint8()), // BINPUT
    114: () => memoise(uint32()), // LONG_BINPUT
    115: () => set([pop(), pop()].reverse()), // SETITEM
    116: popToMark, // TUPLE
    117: () => set(popToMark()), // SETITEMS
    125: () => new Map(), // EMPTY_DICT
    133: () => [pop()], // TUPLE1
    134: () => [pop(), pop()].reverse(), // TUPLE2
    136: () => true, // NEWTRUE
    137: () => false, // NEWFALSE
    138: () => integer(uint8()), // LONG1
  };

  // PROTO
  if (uint8() !== 0x80 || uint8() !== 2) throw new Error('pickle: not of protocol 2');
  for (let opcode = uint8(); ; opcode = uint8()) {
    // STOP
    if (opcode === 0x2e) return { value: pop(), end: at };
    const result = results[opcode];
    if (result === undefined) throw new Error('pickle: opcode not allowed');
    stack.push(result());
  }
}
