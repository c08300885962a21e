// Rewrites a module with 128-bit vectors into one without, for engines that have no WebAssembly SIMD. Every vector
// becomes scalars: four f32, four i32 or two i64, whichever the instructions around it work on. Every vector
// instruction becomes the same operation on each of them, in line, so results keep their bits and their order.
//
// No condition and no address is made here: where the input has no branch and no address that depends on a secret, the
// output has none. Byte permutations must have constant indices; they become rotations and masks.
//
// Anything that is not listed is an error, not a guess.
import binaryen from 'binaryen';

const {
  SIMDExtractId,
  SIMDReplaceId,
  SIMDShuffleId,
  SIMDShiftId,
  SIMDLoadId,
  LocalGetId,
  LocalSetId,
  ConstId,
  UnaryId,
  BinaryId,
  SelectId,
  StoreId,
  LoadId,
  CallId,
  DropId,
  ReturnId,
  BlockId,
  LoopId,
  IfId,
  BreakId,
  SwitchId,
  NopId,
  UnreachableId,
  MemoryFillId,
  MemoryCopyId,
  GlobalGetId,
  GlobalSetId,
  i32,
  i64,
  f32,
  v128,
} = binaryen;

/** How a vector is kept: the type and the number of its parts. */
const kinds = { floats: { type: f32, parts: 4 }, words: { type: i32, parts: 4 }, halves: { type: i64, parts: 2 } };

/** All that the output may need; Safari 15.0 has it. */
const { Features } = binaryen;
const features =
  Features.MutableGlobals |
  Features.SignExt |
  Features.NontrappingFPToInt |
  Features.BulkMemory |
  Features.BulkMemoryOpt |
  Features.Multivalue;

const bytes = Array.from({ length: 8 }, (_, i) => BigInt(i));
/** A 64-bit number of one byte, repeated. */
const everyByte = (byte) => BigInt(byte) * 0x0101010101010101n;
const everyShort = (short) => BigInt(short) * 0x0001000100010001n;

/** Lowers one function. */
class Lowering {
  constructor(module, info, signatures) {
    this.m = module;
    this.info = info;
    this.signatures = signatures;
    this.parameters = binaryen.expandType(info.params);
    this.types = [...this.parameters, ...info.vars];
  }

  fail(what) {
    throw new Error(`${this.info.name}: ${what} cannot be lowered`);
  }

  run() {
    this.constants = this.findConstants();
    this.kindOf = this.chooseKinds();
    // Parameters first, as their signature says, then all others.
    this.places = new Map();
    const newTypes = [];
    const place = (index) => {
      const type = this.types[index];
      const kind = this.kindOf.get(index);
      const parts = type === v128 ? Array(kinds[kind].parts).fill(kinds[kind].type) : [type];
      this.places.set(
        index,
        parts.map((part) => newTypes.push(part) - 1),
      );
    };
    this.parameters.forEach((_, index) => {
      place(index);
    });
    const parameterTypes = newTypes.slice();
    for (let index = this.parameters.length; index < this.types.length; index++) place(index);
    this.newTypes = newTypes;
    this.out = [];
    const body = this.block(this.info.body);
    const { name, results } = this.info;
    this.m.removeFunction(name);
    this.m.addFunction(
      name,
      binaryen.createType(parameterTypes),
      results === v128 ? tupleOf(this.signatures.get(name).result) : results,
      newTypes.slice(parameterTypes.length),
      body,
    );
  }

  // ── Which parts a vector gets ──────────────────────────────────────────────────────────────────────────────────────

  /** Locals that are set once, to a constant. */
  findConstants() {
    const sets = new Map();
    walk(this.info.body, (expression, info) => {
      if (info.id !== LocalSetId || this.types[info.index] !== v128) return;
      sets.set(info.index, sets.has(info.index) ? undefined : info.value);
    });
    const constants = new Map();
    for (const [index, value] of sets) {
      if (value === undefined || index < this.parameters.length) continue;
      const info = describe(value);
      if (info.id === ConstId) constants.set(index, info.value);
    }
    return constants;
  }

  /**
   * Vectors that are copied, or combined bit by bit, are kept alike: as the majority of the other instructions on them
   * would have it. Where no instruction cares, two i64 are the fewest.
   */
  chooseKinds() {
    const group = new Map();
    const find = (index) => {
      let at = index;
      while (group.get(at) !== undefined) at = group.get(at);
      return at;
    };
    const votes = new Map();
    const vote = (operand, kind) => {
      const index = localOf(operand);
      if (index === undefined || kind === undefined) return;
      const list = votes.get(index) ?? { floats: 0, words: 0, halves: 0 };
      list[kind] += 1;
      votes.set(index, list);
    };
    const unite = (a, b) => {
      const [x, y] = [find(a), find(b)];
      if (x !== y) group.set(x, y);
    };
    const all = this.types.flatMap((type, index) => (type === v128 ? [index] : []));
    walk(this.info.body, (expression, info) => {
      const rule = this.ruleOf(info);
      if (rule !== undefined) for (const operand of vectorOperands(info)) vote(operand, rule.takes);
      if (info.id === CallId) {
        const signature = this.signatures.get(info.target);
        info.operands.forEach((operand, i) => {
          vote(operand, signature?.kinds[i]);
        });
      }
      if (info.id !== LocalSetId || this.types[info.index] !== v128) return;
      const value = describe(info.value);
      const valueRule = this.ruleOf(value);
      if (valueRule !== undefined && valueRule.gives !== undefined) {
        const list = votes.get(info.index) ?? { floats: 0, words: 0, halves: 0 };
        list[valueRule.gives] += 1;
        votes.set(info.index, list);
      } else if (valueRule !== undefined) {
        for (const operand of vectorOperands(value)) {
          const index = localOf(operand);
          if (index !== undefined) unite(info.index, index);
        }
      }
      if (value.id === LocalGetId) unite(info.index, value.index);
    });
    const sums = new Map();
    for (const index of all) {
      const sum = sums.get(find(index)) ?? { floats: 0, words: 0, halves: 0 };
      const list = votes.get(index);
      if (list !== undefined) for (const kind of Object.keys(sum)) sum[kind] += list[kind];
      sums.set(find(index), sum);
    }
    const fixed = this.signatures.get(this.info.name)?.kinds ?? [];
    return new Map(
      all.map((index) => {
        const sum = sums.get(find(index));
        const best = Object.keys(sum).reduce((a, b) => (sum[b] > sum[a] ? b : a));
        return [index, fixed[index] ?? (sum[best] === 0 ? 'halves' : best)];
      }),
    );
  }

  /** The rule of an instruction that takes or gives vectors; undefined for any other. */
  ruleOf(info) {
    if (info.type !== v128 && !vectorOperands(info).some((operand) => binaryen.getExpressionType(operand) === v128))
      return undefined;
    switch (info.id) {
      case UnaryId:
      case BinaryId:
      case SIMDExtractId:
      case SIMDReplaceId:
      case SIMDShiftId:
      case SIMDLoadId:
        return rules.get(`${info.id} ${info.op}`) ?? this.fail(`operation ${info.op} of expression ${info.id}`);
      case SIMDShuffleId:
        return wholeWords(info.mask) === undefined ? { takes: 'halves', gives: 'halves' } : {};
      case SelectId:
      case LoadId:
      case StoreId:
        return {};
      default:
        return undefined;
    }
  }

  // ── Statements ─────────────────────────────────────────────────────────────────────────────────────────────────────

  local(type) {
    return this.newTypes.push(type) - 1;
  }

  get(index) {
    return this.m.local.get(index, this.newTypes[index]);
  }

  /** Sets a new local; answers a function that reads it. */
  keep(type, value) {
    const index = this.local(type);
    this.out.push(this.m.local.set(index, value));
    return () => this.get(index);
  }

  block(expression) {
    const before = this.out;
    this.out = [];
    this.statement(expression);
    const statements = this.out;
    this.out = before;
    return statements.length === 1 ? statements[0] : this.m.block(null, statements);
  }

  statement(expression) {
    const { m } = this;
    const info = describe(expression);
    switch (info.id) {
      case BlockId: {
        const before = this.out;
        this.out = [];
        for (const child of info.children) this.statement(child);
        const statements = this.out;
        this.out = before;
        this.out.push(m.block(info.name || null, statements));
        return;
      }
      case LoopId:
        this.out.push(m.loop(info.name, this.block(info.body)));
        return;
      case IfId:
        this.out.push(
          m.if(
            this.scalar(info.condition),
            this.block(info.ifTrue),
            info.ifFalse ? this.block(info.ifFalse) : undefined,
          ),
        );
        return;
      case BreakId:
        this.out.push(m.br(info.name, info.condition ? this.scalar(info.condition) : undefined));
        return;
      case ReturnId:
        if (info.value && binaryen.getExpressionType(info.value) === v128) {
          const { result } = this.signatures.get(this.info.name);
          this.out.push(m.return(m.tuple.make(this.parts(info.value, result).map((part) => part()))));
          return;
        }
        this.out.push(m.return(info.value ? this.scalar(info.value) : undefined));
        return;
      case LocalSetId:
        if (this.types[info.index] === v128) this.setVector(info.index, info.value);
        else this.out.push(m.local.set(this.places.get(info.index)[0], this.scalar(info.value)));
        return;
      case DropId:
        if (binaryen.getExpressionType(info.value) !== v128) this.out.push(m.drop(this.scalar(info.value)));
        return;
      case StoreId:
        if (binaryen.getExpressionType(info.value) === v128) this.storeVector(info);
        else this.out.push(this.scalar(expression));
        return;
      case NopId:
        return;
      case UnreachableId:
      case CallId:
      case MemoryFillId:
      case MemoryCopyId:
      case GlobalSetId:
        this.out.push(this.scalar(expression));
        return;
      default:
        this.fail(`statement ${info.id}`);
    }
  }

  /** An expression without a vector result; its operands are locals and constants. */
  scalar(expression) {
    const { m } = this;
    const info = describe(expression);
    if (info.id === CallId) return this.call(info);
    const rule = this.ruleOf(info);
    if (rule !== undefined) {
      const taken = vectorOperands(info).map((operand) => this.parts(operand, rule.takes));
      return rule.make(this, info, taken);
    }
    const copy = m.copyExpression(expression);
    walk(copy, (inner, found) => {
      if (found.id === LocalGetId) binaryen.LocalGet.setIndex(inner, this.places.get(found.index)[0]);
      else if (found.id === SwitchId || found.id === LocalSetId) this.fail(`expression ${found.id}`);
    });
    return copy;
  }

  call(info) {
    const signature = this.signatures.get(info.target);
    const operands = info.operands.flatMap((operand, i) => {
      const kind = signature.kinds[i];
      return kind === undefined ? [this.scalar(operand)] : this.parts(operand, kind).map((part) => part());
    });
    const type = signature.result === undefined ? info.type : tupleOf(signature.result);
    return this.m.call(info.target, operands, type);
  }

  setVector(index, value) {
    const { m } = this;
    const info = describe(value);
    const kind = this.kindOf.get(index);
    const places = this.places.get(index);
    let parts;
    if (info.id === CallId) {
      const given = this.signatures.get(info.target).result;
      const tuple = this.keep(tupleOf(given), this.call(info));
      const values = Array.from({ length: kinds[given].parts }, (_, i) =>
        this.keep(kinds[given].type, m.tuple.extract(tuple(), i)),
      );
      parts = this.convert(values, given, kind);
    } else if (info.id === LocalGetId || info.id === ConstId) {
      parts = this.parts(value, kind);
    } else {
      const rule = this.ruleOf(info) ?? this.fail(`expression ${info.id}`);
      const works = rule.takes ?? rule.gives ?? kind;
      const taken = vectorOperands(info).map((operand) => this.parts(operand, works));
      const given = rule.gives ?? kind;
      const made = this.make(info, rule, taken, given);
      parts = this.convert(
        made.map((part) => this.keep(kinds[given].type, part)),
        given,
        kind,
      );
    }
    // Read all before writing any: the vector may be among its own operands.
    const values = parts.map((part) => this.keep(kinds[kind].type, part()));
    values.forEach((part, i) => {
      this.out.push(m.local.set(places[i], part()));
    });
  }

  /** Expressions of the parts of an instruction's result, of the kind `given`. */
  make(info, rule, taken, given) {
    const { m } = this;
    const { parts } = kinds[given];
    const name = { floats: m.f32, words: m.i32, halves: m.i64 }[given];
    if (rule.make !== undefined) return rule.make(this, info, taken, given);
    switch (info.id) {
      case LoadId: {
        const ptr = this.keep(i32, this.scalar(info.ptr));
        const size = 16 / parts;
        return Array.from({ length: parts }, (_, i) =>
          name.load(info.offset + i * size, Math.min(info.align, size), ptr()),
        );
      }
      case SelectId: {
        const condition = this.keep(i32, this.scalar(info.condition));
        return taken[0].map((part, i) => m.select(condition(), part(), taken[1][i]()));
      }
      case SIMDShuffleId: {
        const whole = wholeWords(info.mask);
        const [left, right] = taken;
        if (whole !== undefined && parts === 4) return whole.map((word) => [...left, ...right][word]());
        return permute(this, [...left, ...right], info.mask);
      }
      default:
        return this.fail(`expression ${info.id}`);
    }
  }

  storeVector(info) {
    const { m } = this;
    const index = localOf(info.value);
    const kind = index === undefined ? 'halves' : this.kindOf.get(index);
    const { parts } = kinds[kind];
    const name = { floats: m.f32, words: m.i32, halves: m.i64 }[kind];
    const ptr = this.keep(i32, this.scalar(info.ptr));
    const size = 16 / parts;
    this.parts(info.value, kind).forEach((part, i) => {
      this.out.push(name.store(info.offset + i * size, Math.min(info.align, size), ptr(), part()));
    });
  }

  // ── Parts of vectors ───────────────────────────────────────────────────────────────────────────────────────────────

  /** The 16 bytes of an operand that is constant; undefined for any other. */
  constantOf(operand) {
    const info = describe(operand);
    return info.id === ConstId ? info.value : this.constants.get(info.index);
  }

  /** Functions that read the parts of an operand, as the kind that is asked for, or as it is. */
  parts(operand, kind) {
    const { m } = this;
    const constant = this.constantOf(operand);
    if (constant !== undefined) {
      const view = new DataView(Uint8Array.from(constant).buffer);
      const four = [0, 4, 8, 12];
      if (kind === 'halves') return [0, 8].map((at) => () => m.i64.const(view.getBigInt64(at, true)));
      if (kind === 'words') return four.map((at) => () => m.i32.const(view.getInt32(at, true)));
      // By way of its bits, for not-a-numbers.
      return four.map((at) => () => m.f32.reinterpret(m.i32.const(view.getInt32(at, true))));
    }
    const index = localOf(operand) ?? this.fail('an operand that is no local');
    const own = this.kindOf.get(index);
    const parts = this.places.get(index).map((place) => () => this.get(place));
    return this.convert(parts, own, kind ?? own);
  }

  convert(parts, from, to) {
    const { m } = this;
    if (from === to) return parts;
    if (from === 'floats') {
      const words = parts.map((part) => this.keep(i32, m.i32.reinterpret(part())));
      return this.convert(words, 'words', to);
    }
    if (from === 'halves') {
      const words = parts.flatMap((part) => [
        this.keep(i32, m.i32.wrap(part())),
        this.keep(i32, m.i32.wrap(m.i64.shr_u(part(), m.i64.const(32n)))),
      ]);
      return this.convert(words, 'words', to);
    }
    if (to === 'floats') return parts.map((part) => this.keep(f32, m.f32.reinterpret(part())));
    return [0, 2].map((i) => this.keep(i64, joined(m, parts[i](), parts[i + 1]())));
  }
}

const joined = (m, low, high) => m.i64.or(m.i64.extend_u(low), m.i64.shl(m.i64.extend_u(high), m.i64.const(32n)));

const tupleOf = (kind) => binaryen.createType(Array(kinds[kind].parts).fill(kinds[kind].type));

/** An expression's members; binaryen's own function has nothing to say about some that have none. */
function describe(expression) {
  const id = binaryen.getExpressionId(expression);
  if (id === NopId || id === UnreachableId) return { id, type: binaryen.getExpressionType(expression) };
  return binaryen.getExpressionInfo(expression);
}

/** The local that an operand reads; undefined for a constant. */
function localOf(operand) {
  const info = describe(operand);
  return info.id === LocalGetId ? info.index : undefined;
}

/** The operands of an instruction that may be vectors, in order. */
function vectorOperands(info) {
  const isVector = (operand) => binaryen.getExpressionType(operand) === v128;
  switch (info.id) {
    case UnaryId:
      return [info.value].filter(isVector);
    case BinaryId:
      return [info.left, info.right].filter(isVector);
    case SelectId:
      return [info.ifTrue, info.ifFalse].filter(isVector);
    case SIMDExtractId:
    case SIMDReplaceId:
    case SIMDShiftId:
      return [info.vec];
    case SIMDShuffleId:
      return [info.left, info.right];
    case StoreId:
      return [info.value].filter(isVector);
    default:
      return [];
  }
}

/** The indices of 32-bit words that a shuffle selects; undefined if it takes a word apart. */
function wholeWords(mask) {
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
function permute(lowering, halves, from) {
  const { m } = lowering;
  const rotated = new Map();
  const rotate = (half, distance) => {
    const name = `${half} ${distance}`;
    if (!rotated.has(name)) {
      const value = halves[half];
      const by = () => m.i64.const(BigInt(8 * distance));
      rotated.set(name, distance === 0 ? value : lowering.keep(i64, m.i64.rotl(value(), by())));
    }
    return rotated.get(name)();
  };
  return [0, 1].map((target) => {
    const moves = new Map();
    for (const i of bytes) {
      const source = from[8 * target + Number(i)];
      if (source < 0) continue;
      const half = source >> 3;
      const distance = (Number(i) - (source & 7) + 8) % 8;
      const name = `${half} ${distance}`;
      const move = moves.get(name) ?? { half, distance, mask: 0n };
      move.mask |= 0xffn << (8n * i);
      moves.set(name, move);
    }
    const terms = [...moves.values()].map(({ half, distance, mask }) => {
      const by = BigInt(8 * distance);
      const all = 0xffffffffffffffffn;
      if (mask === all) return rotate(half, distance);
      if (mask === ((all << by) & all)) return m.i64.shl(halves[half](), m.i64.const(by));
      if (distance > 0 && mask === all >> (64n - by)) return m.i64.shr_u(halves[half](), m.i64.const(64n - by));
      return m.i64.and(rotate(half, distance), m.i64.const(BigInt.asIntN(64, mask)));
    });
    if (terms.length === 0) return m.i64.const(0n);
    return terms.reduce((sum, term) => m.i64.or(sum, term));
  });
}

// ── Instructions ─────────────────────────────────────────────────────────────────────────────────────────────────────
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
const rule = (name, takes, gives, make) => {
  const [, id] = expressions.find(([pattern]) => pattern.test(name));
  rules.set(`${id} ${binaryen[name]}`, { takes, gives, make });
};
const map = (f) => (lowering, _info, taken) => taken[0].map((_, i) => f(lowering.m, ...taken.map((v) => v[i])));
const i64c = (m, value) => m.i64.const(BigInt.asIntN(64, value));

for (const name of ['Add', 'Sub', 'Mul', 'Div']) {
  rule(
    `${name}VecF32x4`,
    'floats',
    'floats',
    map((m, a, b) => m.f32[name.toLowerCase()](a(), b())),
  );
}
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
const pseudo = (name, isOther) => rule(name, 'floats', 'floats', chosen(isOther));
pseudo('PMinVecF32x4', (m, a, b) => m.f32.lt(b, a));
pseudo('PMaxVecF32x4', (m, a, b) => m.f32.lt(a, b));
rule(
  'ConvertSVecI32x4ToVecF32x4',
  'words',
  'floats',
  map((m, a) => m.f32.convert_s.i32(a())),
);
rule(
  'TruncSatSVecF32x4ToVecI32x4',
  'floats',
  'words',
  map((m, a) => m.i32.trunc_s_sat.f32(a())),
);
rule(
  'DotSVecI16x8ToVecI32x4',
  'words',
  'words',
  map((m, a, b) => {
    const low = m.i32.mul(m.i32.extend16_s(a()), m.i32.extend16_s(b()));
    const high = (x) => m.i32.shr_s(x(), m.i32.const(16));
    return m.i32.add(low, m.i32.mul(high(a), high(b)));
  }),
);

for (const name of ['And', 'Or', 'Xor']) {
  // On floats these go by way of their bits.
  rule(`${name}Vec128`, undefined, undefined, (lowering, _info, taken, given) => {
    const { m } = lowering;
    const operate = name.toLowerCase();
    return taken[0].map((a, i) => {
      const b = taken[1][i];
      if (given === 'halves') return m.i64[operate](a(), b());
      if (given === 'words') return m.i32[operate](a(), b());
      return m.f32.reinterpret(m.i32[operate](m.i32.reinterpret(a()), m.i32.reinterpret(b())));
    });
  });
}
rule('AnyTrueVec128', 'halves', undefined, ({ m }, _info, [[low, high]]) =>
  m.i64.ne(m.i64.or(low(), high()), m.i64.const(0n)),
);

const splat = (type, make) => (lowering, info, _taken) => {
  const value = lowering.keep(type, lowering.scalar(info.value));
  return make(lowering, value);
};
rule(
  'SplatVecF32x4',
  undefined,
  'floats',
  splat(f32, (_, value) => [0, 1, 2, 3].map(() => value())),
);
rule(
  'SplatVecI32x4',
  undefined,
  'words',
  splat(i32, (_, value) => [0, 1, 2, 3].map(() => value())),
);
rule(
  'SplatVecI64x2',
  undefined,
  'halves',
  splat(i64, (_, value) => [value(), value()]),
);
rule(
  'SplatVecI16x8',
  undefined,
  'halves',
  splat(i32, (lowering, value) => {
    const { m } = lowering;
    const short = m.i64.and(m.i64.extend_u(value()), m.i64.const(0xffffn));
    const half = lowering.keep(i64, m.i64.mul(short, i64c(m, everyShort(1))));
    return [half(), half()];
  }),
);
rule(
  'SplatVecI8x16',
  undefined,
  'halves',
  splat(i32, (lowering, value) => {
    const { m } = lowering;
    const byte = m.i64.and(m.i64.extend_u(value()), m.i64.const(0xffn));
    const half = lowering.keep(i64, m.i64.mul(byte, i64c(m, everyByte(1))));
    return [half(), half()];
  }),
);

for (const [name, kind] of [
  ['F32x4', 'floats'],
  ['I32x4', 'words'],
  ['I64x2', 'halves'],
]) {
  rule(`ExtractLaneVec${name}`, kind, undefined, (_lowering, info, [parts]) => parts[info.index]());
  rule(`ReplaceLaneVec${name}`, kind, kind, (lowering, info, [parts]) =>
    parts.map((part, i) => (i === info.index ? lowering.scalar(info.value) : part())),
  );
}

/** The distance of a shift, which must be constant. */
function distanceOf(lowering, info) {
  const { id, value } = describe(info.shift);
  return id === ConstId ? value : lowering.fail('a shift by a variable distance');
}
rule('ShlVecI64x2', 'halves', 'halves', (lowering, info, [parts]) =>
  parts.map((part) => lowering.m.i64.shl(part(), lowering.m.i64.const(BigInt(distanceOf(lowering, info) & 63)))),
);
rule('ShrUVecI64x2', 'halves', 'halves', (lowering, info, [parts]) =>
  parts.map((part) => lowering.m.i64.shr_u(part(), lowering.m.i64.const(BigInt(distanceOf(lowering, info) & 63)))),
);
rule('ShlVecI16x8', 'halves', 'halves', (lowering, info, [parts]) => {
  const { m } = lowering;
  const by = distanceOf(lowering, info) & 15;
  const mask = everyShort((0xffff << by) & 0xffff);
  return parts.map((part) => m.i64.and(m.i64.shl(part(), m.i64.const(BigInt(by))), i64c(m, mask)));
});
rule('ShrUVecI16x8', 'halves', 'halves', (lowering, info, [parts]) => {
  const { m } = lowering;
  const by = distanceOf(lowering, info) & 15;
  return parts.map((part) =>
    m.i64.and(m.i64.shr_u(part(), m.i64.const(BigInt(by))), i64c(m, everyShort(0xffff >> by))),
  );
});

// Sums and differences within each byte or short: the highest bits are kept apart, so that nothing carries over.
rule(
  'AddVecI16x8',
  'halves',
  'halves',
  map((m, a, b) => {
    const rest = i64c(m, everyShort(0x7fff));
    const highest = m.i64.and(m.i64.xor(a(), b()), i64c(m, everyShort(0x8000)));
    return m.i64.xor(m.i64.add(m.i64.and(a(), rest), m.i64.and(b(), i64c(m, everyShort(0x7fff)))), highest);
  }),
);
rule(
  'NegVecI8x16',
  'halves',
  'halves',
  map((m, a) => {
    const difference = m.i64.sub(i64c(m, everyByte(0x80)), m.i64.and(a(), i64c(m, everyByte(0x7f))));
    return m.i64.xor(difference, m.i64.and(m.i64.xor(a(), m.i64.const(-1n)), i64c(m, everyByte(0x80))));
  }),
);

/** Eight bytes as eight shorts, in two i64. */
const extendBytes =
  (half) =>
  (lowering, _info, [parts]) => {
    const { m } = lowering;
    return [0, 1].map((i) => {
      const four =
        i === 0 ? m.i64.and(parts[half](), m.i64.const(0xffffffffn)) : m.i64.shr_u(parts[half](), m.i64.const(32n));
      const spread = (x, by, mask) => {
        const value = lowering.keep(i64, x);
        return m.i64.and(m.i64.or(value(), m.i64.shl(value(), m.i64.const(by))), m.i64.const(mask));
      };
      return spread(spread(four, 16n, 0x0000ffff0000ffffn), 8n, 0x00ff00ff00ff00ffn);
    });
  };
rule('ExtendLowUVecI8x16ToVecI16x8', 'halves', 'halves', extendBytes(0));
rule('ExtendHighUVecI8x16ToVecI16x8', 'halves', 'halves', extendBytes(1));
const extendShorts =
  (half) =>
  (lowering, _info, [parts]) => {
    const { m } = lowering;
    return [0, 16, 32, 48].map((at) =>
      m.i32.wrap(m.i64.and(m.i64.shr_u(parts[half](), m.i64.const(BigInt(at))), m.i64.const(0xffffn))),
    );
  };
rule('ExtendLowUVecI16x8ToVecI32x4', 'halves', 'words', extendShorts(0));
rule('ExtendHighUVecI16x8ToVecI32x4', 'halves', 'words', extendShorts(1));

rule('SwizzleVecI8x16', 'halves', 'halves', (lowering, info, taken) => {
  const indices = lowering.constantOf(info.right) ?? lowering.fail('a permutation by a variable');
  return permute(
    lowering,
    taken[0],
    indices.map((index) => (index < 16 ? index : -1)),
  );
});

rule('Load32SplatVec128', undefined, undefined, (lowering, info, _taken, given) => {
  const { m } = lowering;
  const load = (name) => name.load(info.offset, info.align, lowering.scalar(info.ptr));
  if (given === 'floats') {
    const value = lowering.keep(f32, load(m.f32));
    return [0, 1, 2, 3].map(() => value());
  }
  const value = lowering.keep(i32, load(m.i32));
  if (given === 'words') return [0, 1, 2, 3].map(() => value());
  const half = lowering.keep(i64, joined(m, value(), value()));
  return [half(), half()];
});
rule('Load64SplatVec128', undefined, 'halves', (lowering, info) => {
  const value = lowering.keep(i64, lowering.m.i64.load(info.offset, info.align, lowering.scalar(info.ptr)));
  return [value(), value()];
});
rule('Load32ZeroVec128', undefined, 'halves', (lowering, info) => {
  const { m } = lowering;
  return [m.i64.load32_u(info.offset, info.align, lowering.scalar(info.ptr)), m.i64.const(0n)];
});
rule('Load64ZeroVec128', undefined, 'halves', (lowering, info) => {
  const { m } = lowering;
  return [m.i64.load(info.offset, info.align, lowering.scalar(info.ptr)), m.i64.const(0n)];
});

// ── Modules ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Calls `visit` with every expression, children after their parents. */
function walk(expression, visit) {
  const info = describe(expression);
  visit(expression, info);
  if (info.id === ConstId) return;
  for (const [name, value] of Object.entries(info)) {
    if (!references.has(name)) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (child) walk(child, visit);
  }
}
/** Members of an expression's description that are expressions. */
const references = new Set(
  [
    'children condition ifTrue ifFalse body value operands ptr left right vec shift a b c dest source size tuple delta',
  ].flatMap((names) => names.split(' ')),
);

/** What a function's vector parameters and result are kept as: what its own instructions would have. */
function signatureOf(module, info) {
  const lowering = new Lowering(module, info, new Map());
  if (!lowering.parameters.includes(v128) && info.results !== v128) return { kinds: [], result: undefined };
  const kindOf = lowering.chooseKinds();
  let result;
  if (info.results === v128) {
    walk(info.body, (_, { id, value }) => {
      if (id === ReturnId && value) result ??= kindOf.get(localOf(value));
    });
  }
  return {
    kinds: lowering.parameters.map((_, index) => kindOf.get(index)),
    result: info.results === v128 ? (result ?? 'halves') : undefined,
  };
}

/** @returns the binary of a module that computes the same without vectors */
export function lowerVectors(binary) {
  const module = binaryen.readBinary(binary);
  try {
    // Flat code: operands are locals and constants, and every value is set in a statement of its own.
    module.runPasses(['dce', 'flatten', 'ssa-nomerge', 'flatten']);
    const functions = Array.from({ length: module.getNumFunctions() }, (_, i) => module.getFunctionByIndex(i))
      .map((reference) => binaryen.getFunctionInfo(reference))
      .filter(({ module: imported }) => !imported);
    const signatures = new Map(functions.map((info) => [info.name, signatureOf(module, info)]));
    for (const info of functions) new Lowering(module, info, signatures).run();
    module.setFeatures(features);
    binaryen.setOptimizeLevel(3);
    binaryen.setShrinkLevel(1);
    module.optimize();
    if (!module.validate()) throw new Error('the lowered module is not valid');
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}
