// Rewrites a module with 128-bit vectors into one without, for engines that have no WebAssembly SIMD. Every vector
// becomes scalars: four f32, four i32 or two i64, whichever the instructions around it work on. Every vector
// instruction becomes the same operation on each of them, in line, so results keep their bits and their order.
//
// No condition and no address is made here: where the input has no branch and no address that depends on a secret, the
// output has none. Byte permutations must have constant indices; they become rotations and masks.
//
// Anything that is not listed is an error, not a guess.
import binaryen from 'binaryen';
import { constant, describe, joined, kinds, permute, ruleFor, wholeWords } from './lower-instructions.mjs';

const { BlockId, IfId, LoopId, BreakId, SwitchId, ReturnId, CallId, LocalGetId, LocalSetId, GlobalSetId } = binaryen;
const { NopId, UnreachableId, DropId, ConstId, UnaryId, BinaryId, SelectId } = binaryen;
const { LoadId, StoreId, MemoryFillId, MemoryCopyId } = binaryen;
const { SIMDExtractId, SIMDReplaceId, SIMDShuffleId, SIMDShiftId, SIMDLoadId } = binaryen;
const { i32, i64, f32, v128, Features } = binaryen;

/** All that the output may need; Safari 15.0 has it. */
const features =
  Features.MutableGlobals |
  Features.SignExt |
  Features.NontrappingFPToInt |
  Features.BulkMemory |
  Features.BulkMemoryOpt |
  Features.Multivalue;

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
    this.kindOf = this.chooseKinds();
    this.newTypes = [];
    this.places = this.types.map((type, index) => {
      const kind = kinds[this.kindOf.get(index)];
      const parts = type === v128 ? Array(kind.parts).fill(kind.type) : [type];
      return parts.map((part) => this.local(part));
    });
    // Parameters come first, before and after.
    const parameterTypes = this.newTypes.slice(0, this.places.slice(0, this.parameters.length).flat().length);
    this.out = [];
    const body = this.block(this.info.body);
    const { name, results } = this.info;
    this.m.removeFunction(name);
    this.m.addFunction(
      name,
      binaryen.createType(parameterTypes),
      results === v128 ? tupleOf(this.signatures.get(name).result) : results,
      this.newTypes.slice(parameterTypes.length),
      body,
    );
  }

  // ── Which parts a vector gets ──────────────────────────────────────────────────────────────────────────────────────

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
    const vote = (index, kind) => {
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
    walk(this.info.body, (_, info) => {
      const rule = this.ruleOf(info);
      if (rule !== undefined) for (const operand of vectorOperands(info)) vote(localOf(operand), rule.takes);
      if (info.id === CallId) {
        const signature = this.signatures.get(info.target);
        info.operands.forEach((operand, i) => {
          vote(localOf(operand), signature?.kinds[i]);
        });
      }
      if (info.id !== LocalSetId || this.types[info.index] !== v128) return;
      const value = describe(info.value);
      const valueRule = this.ruleOf(value);
      if (valueRule !== undefined && valueRule.gives !== undefined) {
        vote(info.index, valueRule.gives);
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
        return ruleFor(info) ?? this.fail(`operation ${info.op} of expression ${info.id}`);
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
        else this.out.push(m.local.set(this.places[info.index][0], this.scalar(info.value)));
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
      if (found.id === LocalGetId) binaryen.LocalGet.setIndex(inner, this.places[found.index][0]);
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
    const places = this.places[index];
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
    return info.id === ConstId ? info.value : undefined;
  }

  /** Functions that read the parts of an operand, as the kind that is asked for, or as it is. */
  parts(operand, kind) {
    const { m } = this;
    const bytes = this.constantOf(operand);
    if (bytes !== undefined) {
      const view = new DataView(Uint8Array.from(bytes).buffer);
      const four = [0, 4, 8, 12];
      if (kind === 'halves') return [0, 8].map((at) => () => constant(m, view.getBigInt64(at, true)));
      if (kind === 'words') return four.map((at) => () => m.i32.const(view.getInt32(at, true)));
      // By way of its bits, for not-a-numbers.
      return four.map((at) => () => m.f32.reinterpret(m.i32.const(view.getInt32(at, true))));
    }
    const index = localOf(operand) ?? this.fail('an operand that is no local');
    const own = this.kindOf.get(index);
    const parts = this.places[index].map((place) => () => this.get(place));
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
        this.keep(i32, m.i32.wrap(m.i64.shr_u(part(), constant(m, 32n)))),
      ]);
      return this.convert(words, 'words', to);
    }
    if (to === 'floats') return parts.map((part) => this.keep(f32, m.f32.reinterpret(part())));
    return [0, 2].map((i) => this.keep(i64, joined(m, parts[i](), parts[i + 1]())));
  }
}

const tupleOf = (kind) => binaryen.createType(Array(kinds[kind].parts).fill(kinds[kind].type));

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

// ── Modules ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Calls `visit` with every expression, children after their parents. */
export function walk(expression, visit) {
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
