// What becomes of each vector instruction. A vector is kept as four f32, four i32 or two i64, and its parts are functions
// that make an expression which reads them.
import binaryen from 'binaryen';

const { ConstId, NopId, UnreachableId, BinaryId, UnaryId, i32, i64, f32 } = binaryen;
const { SIMDExtractId, SIMDReplaceId, SIMDShiftId, SIMDLoadId } = binaryen;

/** How a vector is kept: the type and the number of its parts. */
export const kinds = {
  floats: { type: f32, parts: 4 },
  words: { type: i32, parts: 4 },
  halves: { type: i64, parts: 2 },
};

/** An expression's members; binaryen's own function has nothing to say about some that have none. */
export function describe(expression) {
  const id = binaryen.getExpressionId(expression);
  if (id === NopId || id === UnreachableId) return { id, type: binaryen.getExpressionType(expression) };
  return binaryen.getExpressionInfo(expression);
}

export const joined = (m, low, high) =>
  m.i64.or(m.i64.extend_u(low), m.i64.shl(m.i64.extend_u(high), constant(m, 32n)));

/** The indices of 32-bit words that a shuffle selects; undefined if it takes a word apart. */
export function wholeWords(mask) {
  const words = [0, 4, 8, 12].map((at) => {
    const first = mask[at];
    return first % 4 === 0 && [1, 2, 3].every((i) => mask[at + i] === first + i) ? first / 4 : undefined;
  });
  return words.includes(undefined) ? undefined : words;
}

/**
 * Two i64 out of several: byte i is byte `from[i]` of all of them in a row, or zero where that is −1. Bytes that move by
 * the same distance out of the same number move together, by one rotation and one mask.
 */
export function permute(lowering, halves, from) {
  const { m } = lowering;
  const rotated = new Map();
  const rotate = (half, distance) => {
    const name = `${half} ${distance}`;
    if (!rotated.has(name)) {
      const value = halves[half];
      const by = () => constant(m, BigInt(8 * distance));
      rotated.set(name, distance === 0 ? value : lowering.keep(i64, m.i64.rotl(value(), by())));
    }
    return rotated.get(name)();
  };
  return [0, 1].map((target) => {
    const moves = new Map();
    for (const i of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const source = from[8 * target + i];
      if (source < 0) continue;
      const half = source >> 3;
      const distance = (i - (source & 7) + 8) % 8;
      const name = `${half} ${distance}`;
      const move = moves.get(name) ?? { half, distance, mask: 0n };
      move.mask |= 0xffn << BigInt(8 * i);
      moves.set(name, move);
    }
    const terms = [...moves.values()].map(({ half, distance, mask }) => {
      const by = BigInt(8 * distance);
      const all = 0xffffffffffffffffn;
      if (mask === all) return rotate(half, distance);
      if (mask === ((all << by) & all)) return m.i64.shl(halves[half](), constant(m, by));
      if (distance > 0 && mask === all >> (64n - by)) return m.i64.shr_u(halves[half](), constant(m, 64n - by));
      return m.i64.and(rotate(half, distance), constant(m, mask));
    });
    if (terms.length === 0) return constant(m, 0n);
    return terms.reduce((sum, term) => m.i64.or(sum, term));
  });
}

// A rule says as what its vector operands are taken, and as what its result is given; without either, it works on any
// kind alike. `make` answers the parts of the result, or one expression for a scalar.

/** Operations are numbered within each of these. */
const expressions = [
  [/^(Splat|AnyTrue|Neg|Convert|TruncSat|Extend)/, UnaryId],
  [/^ExtractLane/, SIMDExtractId],
  [/^ReplaceLane/, SIMDReplaceId],
  [/^Sh[lr]/, SIMDShiftId],
  [/^Load/, SIMDLoadId],
  [/^/, BinaryId],
];
const rules = new Map();

function define(takes, gives, makers) {
  for (const [name, make] of Object.entries(makers)) {
    const [, id] = expressions.find(([pattern]) => pattern.test(name));
    rules.set(`${id} ${binaryen[name]}`, { takes, gives, make });
  }
}

/** The rule of an operation; undefined if there is none. */
export const ruleFor = ({ id, op }) => rules.get(`${id} ${op}`);

/** The same for each part. */
const each = (f) => (lowering, _info, taken) => taken[0].map((_, i) => f(lowering.m, ...taken.map((v) => v[i])));
/** Binaryen takes a constant of 64 bits as two of 32. */
export const constant = (m, value) =>
  m.i64.const(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
/** A 64-bit number of one byte or short, repeated. */
const everyByte = (byte) => BigInt(byte) * 0x0101010101010101n;
const everyShort = (short) => BigInt(short) * 0x0001000100010001n;

// Chosen by a mask, since engines make a branch of a choice between floats, and nobody can predict a sign. `isOther` says
// whether the second operand is the result; +0 is the one of rectifiers, and has no bits.
const chosen = (isOther) => (lowering, info, taken) => {
  const { m } = lowering;
  const bits = (part) => m.i32.reinterpret(part());
  const isZero = lowering.constantOf(info.right)?.every((byte) => byte === 0) === true;
  return taken[0].map((a, i) => {
    const b = taken[1][i];
    if (isZero) return m.f32.reinterpret(m.i32.and(bits(a), m.i32.sub(isOther(m, a(), b()), m.i32.const(1))));
    const mask = m.i32.sub(m.i32.const(0), isOther(m, a(), b()));
    return m.f32.reinterpret(m.i32.xor(bits(a), m.i32.and(m.i32.xor(bits(a), bits(b)), mask)));
  });
};

define('floats', 'floats', {
  AddVecF32x4: each((m, a, b) => m.f32.add(a(), b())),
  MulVecF32x4: each((m, a, b) => m.f32.mul(a(), b())),
  DivVecF32x4: each((m, a, b) => m.f32.div(a(), b())),
  PMinVecF32x4: chosen((m, a, b) => m.f32.lt(b, a)),
  PMaxVecF32x4: chosen((m, a, b) => m.f32.lt(a, b)),
});
define('words', 'floats', { ConvertSVecI32x4ToVecF32x4: each((m, a) => m.f32.convert_s.i32(a())) });
define('floats', 'words', { TruncSatSVecF32x4ToVecI32x4: each((m, a) => m.i32.trunc_s_sat.f32(a())) });
define('words', 'words', {
  AddVecI32x4: each((m, a, b) => m.i32.add(a(), b())),
  SubVecI32x4: each((m, a, b) => m.i32.sub(a(), b())),
  MaxSVecI32x4: each((m, a, b) => m.select(m.i32.gt_s(a(), b()), a(), b())),
  DotSVecI16x8ToVecI32x4: each((m, a, b) => {
    const low = m.i32.mul(m.i32.extend16_s(a()), m.i32.extend16_s(b()));
    const high = (x) => m.i32.shr_s(x(), m.i32.const(16));
    return m.i32.add(low, m.i32.mul(high(a), high(b)));
  }),
});

/** On floats these go by way of their bits. */
const bitwise = (operate) => (lowering, _info, taken, given) =>
  taken[0].map((a, i) => {
    const { m } = lowering;
    const b = taken[1][i];
    if (given === 'halves') return m.i64[operate](a(), b());
    if (given === 'words') return m.i32[operate](a(), b());
    return m.f32.reinterpret(m.i32[operate](m.i32.reinterpret(a()), m.i32.reinterpret(b())));
  });
define(undefined, undefined, { AndVec128: bitwise('and'), OrVec128: bitwise('or'), XorVec128: bitwise('xor') });
define('halves', undefined, {
  AnyTrueVec128: ({ m }, _info, [[low, high]]) => m.i64.ne(m.i64.or(low(), high()), constant(m, 0n)),
});

/** A scalar, `count` times. */
const splat = (type, count) => (lowering, info) => {
  const value = lowering.keep(type, lowering.scalar(info.value));
  return Array.from({ length: count }, () => value());
};
define(undefined, 'floats', { SplatVecF32x4: splat(f32, 4) });
define(undefined, 'words', { SplatVecI32x4: splat(i32, 4) });
define(undefined, 'halves', { SplatVecI64x2: splat(i64, 2) });

const extract = (_lowering, info, [parts]) => parts[info.index]();
const replace = (lowering, info, [parts]) =>
  parts.map((part, i) => (i === info.index ? lowering.scalar(info.value) : part()));
define('floats', undefined, { ExtractLaneVecF32x4: extract });
define('words', undefined, { ExtractLaneVecI32x4: extract });
define('words', 'words', { ReplaceLaneVecI32x4: replace });
define('halves', 'halves', { ReplaceLaneVecI64x2: replace });

/** A shift by a constant, within lanes of `bits` bits: what comes from the lane beside is masked out. */
const shift =
  (operate, bits, maskOf) =>
  (lowering, info, [parts]) => {
    const { m } = lowering;
    const { id, value } = describe(info.shift);
    const by = id === ConstId ? value & (bits - 1) : lowering.fail('a shift by a variable distance');
    return parts.map((part) => {
      const shifted = m.i64[operate](part(), constant(m, BigInt(by)));
      return maskOf === undefined ? shifted : m.i64.and(shifted, constant(m, maskOf(by)));
    });
  };
define('halves', 'halves', {
  ShlVecI64x2: shift('shl', 64),
  ShrUVecI64x2: shift('shr_u', 64),
  ShlVecI16x8: shift('shl', 16, (by) => everyShort((0xffff << by) & 0xffff)),
  ShrUVecI16x8: shift('shr_u', 16, (by) => everyShort(0xffff >> by)),
});

// Sums and differences within each byte or short: the highest bits are kept apart, so that nothing carries over.
define('halves', 'halves', {
  AddVecI16x8: each((m, a, b) => {
    const rest = (x) => m.i64.and(x(), constant(m, everyShort(0x7fff)));
    const highest = m.i64.and(m.i64.xor(a(), b()), constant(m, everyShort(0x8000)));
    return m.i64.xor(m.i64.add(rest(a), rest(b)), highest);
  }),
  NegVecI8x16: each((m, a) => {
    const difference = m.i64.sub(constant(m, everyByte(0x80)), m.i64.and(a(), constant(m, everyByte(0x7f))));
    const highest = m.i64.and(m.i64.xor(a(), constant(m, -1n)), constant(m, everyByte(0x80)));
    return m.i64.xor(difference, highest);
  }),
});

/** Eight bytes as eight shorts, in two i64. */
const extendBytes =
  (half) =>
  (lowering, _info, [parts]) => {
    const { m } = lowering;
    const spread = (x, by, mask) => {
      const value = lowering.keep(i64, x);
      return m.i64.and(m.i64.or(value(), m.i64.shl(value(), constant(m, by))), constant(m, mask));
    };
    const low = m.i64.and(parts[half](), constant(m, 0xffffffffn));
    const high = m.i64.shr_u(parts[half](), constant(m, 32n));
    return [low, high].map((four) => spread(spread(four, 16n, 0x0000ffff0000ffffn), 8n, 0x00ff00ff00ff00ffn));
  };
const extendShorts =
  (half) =>
  ({ m }, _info, [parts]) =>
    [0n, 16n, 32n, 48n].map((at) =>
      m.i32.wrap(m.i64.and(m.i64.shr_u(parts[half](), constant(m, at)), constant(m, 0xffffn))),
    );
define('halves', 'halves', {
  ExtendLowUVecI8x16ToVecI16x8: extendBytes(0),
  ExtendHighUVecI8x16ToVecI16x8: extendBytes(1),
  SwizzleVecI8x16: (lowering, info, taken) => {
    const indices = lowering.constantOf(info.right) ?? lowering.fail('a permutation by a variable');
    const from = Array.from(indices, (index) => (index < 16 ? index : -1));
    return permute(lowering, taken[0], from);
  },
});
define('halves', 'words', {
  ExtendLowUVecI16x8ToVecI32x4: extendShorts(0),
  ExtendHighUVecI16x8ToVecI32x4: extendShorts(1),
});

const read = (lowering, info, load) => load(info.offset, info.align, lowering.scalar(info.ptr));
define(undefined, undefined, {
  Load32SplatVec128: (lowering, info, _taken, given) => {
    const { m } = lowering;
    const isFloat = given === 'floats';
    const value = lowering.keep(isFloat ? f32 : i32, read(lowering, info, isFloat ? m.f32.load : m.i32.load));
    if (given !== 'halves') return [0, 1, 2, 3].map(() => value());
    const half = lowering.keep(i64, joined(m, value(), value()));
    return [half(), half()];
  },
});
define(undefined, 'words', {
  Load16x4SVec128: (lowering, info) => {
    const ptr = lowering.keep(i32, lowering.scalar(info.ptr));
    return [0, 2, 4, 6].map((at) => lowering.m.i32.load16_s(info.offset + at, Math.min(info.align, 2), ptr()));
  },
});
define(undefined, 'halves', {
  Load32ZeroVec128: (lowering, info) => [read(lowering, info, lowering.m.i64.load32_u), constant(lowering.m, 0n)],
  Load64ZeroVec128: (lowering, info) => [read(lowering, info, lowering.m.i64.load), constant(lowering.m, 0n)],
});
