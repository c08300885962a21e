// Decodes the parts of a WebAssembly module that the taint machine executes: types, functions, exports, memory size and
// function bodies. Rejects anything unknown.

/** One instruction; its immediates depend on the opcode. 0xfd and 0xfc opcodes are `prefix << 16 | number`. */
export interface Instruction {
  readonly opcode: number;
  /** Local, function or global index, branch depth, or lane. */
  readonly index: number;
  /** Offset of a memory access. */
  readonly offset: number;
  /** Constant: i32 as number, i64 as bigint, floats, v128 and shuffle indices as bytes. */
  readonly constant: number | bigint | Uint8Array;
  /** For block, loop and if: position of the matching `end`. */
  end: number;
  /** For if: position of the `else`; of the `end` if there is none. */
  otherwise: number;
  /** For block, loop and if: number of result values. */
  readonly results: number;
}

export interface WasmFunction {
  readonly parameters: number;
  readonly results: number;
  /** Types of the locals after the parameters. */
  readonly locals: readonly number[];
  readonly code: readonly Instruction[];
}

export interface WasmModule {
  readonly functions: readonly WasmFunction[];
  readonly exports: ReadonlyMap<string, number>;
  readonly memoryPages: number;
}

export const simd = (opcode: number): number => (0xfd << 16) | opcode;
export const bulk = (opcode: number): number => (0xfc << 16) | opcode;
export const typeV128 = 0x7b;
export const typeI64 = 0x7e;

class ByteReader {
  at = 0;
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw new Error('module is cut short');
    return value;
  }
  unsigned(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }
  signed(bits: 32 | 64): bigint {
    let value = 0n;
    let shift = 0n;
    for (;;) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
      if (byte < 0x80) return BigInt.asIntN(bits, (byte & 0x40) !== 0 ? value - (1n << shift) : value);
    }
  }
  take(length: number): Uint8Array {
    this.at += length;
    return this.bytes.slice(this.at - length, this.at);
  }
}

const none = { index: 0, offset: 0, constant: 0, end: -1, otherwise: -1, results: 0 };
const hasMemoryAccess = (opcode: number): boolean =>
  (opcode >= 0x28 && opcode <= 0x3e) || [0, 9, 11, 93].some((access) => opcode === simd(access));
const hasLane = (opcode: number): boolean => opcode >= simd(21) && opcode <= simd(34);
/** local.*, global.*, br, br_if, call. */
const hasIndex = (opcode: number): boolean =>
  (opcode >= 0x20 && opcode <= 0x24) || opcode === 0x0c || opcode === 0x0d || opcode === 0x10;

function readInstruction(reader: ByteReader): Instruction {
  const first = reader.byte();
  const opcode = first >= 0xfc ? (first << 16) | reader.unsigned() : first;
  if (opcode >= 0x02 && opcode <= 0x04) return { ...none, opcode, results: reader.byte() === 0x40 ? 0 : 1 };
  if (hasIndex(opcode)) return { ...none, opcode, index: reader.unsigned() };
  if (hasMemoryAccess(opcode)) {
    reader.unsigned();
    return { ...none, opcode, offset: reader.unsigned() };
  }
  if (hasLane(opcode)) return { ...none, opcode, index: reader.byte() };
  if (opcode === 0x41) return { ...none, opcode, constant: Number(reader.signed(32)) };
  if (opcode === 0x42) return { ...none, opcode, constant: reader.signed(64) };
  if (opcode === 0x43 || opcode === 0x44) return { ...none, opcode, constant: reader.take(opcode === 0x43 ? 4 : 8) };
  if (opcode === simd(12) || opcode === simd(13)) return { ...none, opcode, constant: reader.take(16) };
  if (opcode === bulk(10)) reader.take(2);
  if (opcode === bulk(11)) reader.take(1);
  return { ...none, opcode };
}

function readCode(reader: ByteReader, end: number): Instruction[] {
  const code: Instruction[] = [];
  const open: Instruction[] = [];
  while (reader.at < end) {
    const instruction = readInstruction(reader);
    const position = code.push(instruction) - 1;
    if (instruction.opcode >= 0x02 && instruction.opcode <= 0x04) open.push(instruction);
    const innermost = open.at(-1);
    if (innermost === undefined) continue;
    if (instruction.opcode === 0x05) innermost.otherwise = position;
    if (instruction.opcode === 0x0b) {
      innermost.end = position;
      if (innermost.otherwise < 0) innermost.otherwise = position;
      open.pop();
    }
  }
  return code;
}

/** Decodes a body at its first call, so that unused functions may contain unknown instructions. */
function lazyFunction(type: { parameters: number; results: number }, body: Uint8Array): WasmFunction {
  let decoded: { locals: number[]; code: Instruction[] } | undefined;
  const decode = () => {
    if (decoded !== undefined) return decoded;
    const reader = new ByteReader(body);
    const locals: number[] = [];
    for (let groups = reader.unsigned(); groups > 0; groups--) {
      const count = reader.unsigned();
      const localType = reader.byte();
      for (let i = 0; i < count; i++) locals.push(localType);
    }
    decoded = { locals, code: readCode(reader, body.length) };
    return decoded;
  };
  return {
    ...type,
    get locals() {
      return decode().locals;
    },
    get code() {
      return decode().code;
    },
  };
}

export function readModule(bytes: Uint8Array): WasmModule {
  const reader = new ByteReader(bytes);
  reader.take(8);
  const types: { parameters: number; results: number }[] = [];
  const typeOfFunction: number[] = [];
  const bodies: Uint8Array[] = [];
  const exports = new Map<string, number>();
  let memoryPages = 0;
  while (reader.at < bytes.length) {
    const id = reader.byte();
    const end = reader.unsigned() + reader.at;
    if (id === 2) throw new Error('imports are not supported');
    if (id === 1 || id === 3 || id === 5 || id === 7 || id === 10) {
      for (let count = reader.unsigned(); count > 0; count--) {
        if (id === 1) {
          reader.byte();
          const parameters = reader.take(reader.unsigned()).length;
          types.push({ parameters, results: reader.take(reader.unsigned()).length });
        } else if (id === 3) {
          typeOfFunction.push(reader.unsigned());
        } else if (id === 5) {
          const limited = reader.byte() === 1;
          memoryPages = reader.unsigned();
          if (limited) reader.unsigned();
        } else if (id === 7) {
          const name = new TextDecoder().decode(reader.take(reader.unsigned()));
          const kind = reader.byte();
          const index = reader.unsigned();
          if (kind === 0) exports.set(name, index);
        } else {
          bodies.push(reader.take(reader.unsigned()));
        }
      }
    }
    reader.at = end;
  }
  const functions = bodies.map((body, i) => {
    const type = types[typeOfFunction[i] ?? -1];
    if (type === undefined) throw new Error('function without a type');
    return lazyFunction(type, body);
  });
  return { functions, exports, memoryPages };
}
