// Modules of assembly/ that the build generates: straight-line code over many vectors. AssemblyScript has neither
// multiple returns nor macros, so the vectors stay in registers only in unrolled code.

// The S-box in 128 gates, depth 16: J. Boyar, R. Peralta, "A depth-16 circuit for the AES S-box", IACR ePrint 2011/332.
// It has thirteen gates more than the smallest circuit but little more than half its depth, which limits the speed
// here. x0 is the most significant bit. Its four XNORs are omitted: the outputs lack the constant 0x63, which ShiftRows
// and MixColumns leave unchanged, so it is added to the round keys.
const circuit = `
t1=x0^x3 t2=x0^x5 t3=x0^x6 t4=x3^x5 t5=x4^x6 t6=t1^t5 t7=x1^x2 t8=x7^t6 t9=x7^t7 t10=t6^t7 t11=x1^x5 t12=x2^x5 t13=t3^t4
t14=t6^t11 t15=t5^t11 t16=t5^t12 t17=t9^t16 t18=x3^x7 t19=t7^t18 t20=t1^t19 t21=x6^x7 t22=t7^t21 t23=t2^t22 t24=t2^t10
t25=t20^t17 t26=t3^t16 t27=t1^t12 m1=t13&t6 m2=t23&t8 m3=t14^m1 m4=t19&x7 m5=m4^m1 m6=t3&t16 m7=t22&t9 m8=t26^m6
m9=t20&t17 m10=m9^m6 m11=t1&t15 m12=t4&t27 m13=m12^m11 m14=t2&t10 m15=m14^m11 m16=m3^m2 m17=m5^t24 m18=m8^m7 m19=m10^m15
m20=m16^m13 m21=m17^m15 m22=m18^m13 m23=m19^t25 m24=m22^m23 m25=m22&m20 m26=m21^m25 m27=m20^m21 m28=m23^m25 m29=m28&m27
m30=m26&m24 m31=m20&m23 m32=m27&m31 m33=m27^m25 m34=m21&m22 m35=m24&m34 m36=m24^m25 m37=m21^m29 m38=m32^m33 m39=m23^m30
m40=m35^m36 m41=m38^m40 m42=m37^m39 m43=m37^m38 m44=m39^m40 m45=m42^m41 m46=m44&t6 m47=m40&t8 m48=m39&x7 m49=m43&t16
m50=m38&t9 m51=m37&t17 m52=m42&t15 m53=m45&t27 m54=m41&t10 m55=m44&t13 m56=m40&t23 m57=m39&t19 m58=m43&t3 m59=m38&t22
m60=m37&t20 m61=m42&t1 m62=m45&t4 m63=m41&t2 l0=m61^m62 l1=m50^m56 l2=m46^m48 l3=m47^m55 l4=m54^m58 l5=m49^m61 l6=m62^l5
l7=m46^l3 l8=m51^m59 l9=m52^m53 l10=m53^l4 l11=m60^l2 l12=m48^m51 l13=m50^l0 l14=m52^m61 l15=m55^l1 l16=m56^l0 l17=m57^l1
l18=m58^l8 l19=m63^l4 l20=l0^l1 l21=l1^l7 l22=l3^l12 l23=l18^l2 l24=l15^l9 l25=l6^l10 l26=l7^l9 l27=l8^l10 l28=l11^l14
l29=l11^l17 s0=l6^l24 s1=l16^l26 s2=l19^l28 s3=l6^l21 s4=l20^l22 s5=l25^l29 s6=l13^l27 s7=l6^l23`;

const gates = circuit
  .trim()
  .split(/\s+/)
  .map((gate) => /^(\w+)=(\w+)([&^])(\w+)$/.exec(gate).slice(1));
const planes = [0, 1, 2, 3, 4, 5, 6, 7];
const xor = (a, b) => `v128.xor(${a}, ${b})`;

/** Lines that take planes p0..p7 (p7 most significant) through the S-box into s7..s0 (s0 most significant). */
function sbox(indent) {
  const name = (wire) => (wire.startsWith('x') ? `p${7 - Number(wire.slice(1))}` : wire);
  return gates.map(
    ([out, a, operator, b]) =>
      `${indent}const ${out} = v128.${operator === '&' ? 'and' : 'xor'}(${name(a)}, ${name(b)});`,
  );
}

/** Lines that transpose the 8 x 8 bits of each byte position of p0..p7; its own inverse. */
function transpose(indent) {
  const lines = [];
  for (const [distance, mask] of [
    [1, '0x55'],
    [2, '0x33'],
    [4, '0x0f'],
  ]) {
    for (const low of planes.filter((plane) => (plane & distance) === 0)) {
      const high = low + distance;
      lines.push(
        `${indent}swap = v128.and(${xor(`i64x2.shr_u(p${low}, ${distance})`, `p${high}`)}, i8x16.splat(${mask}));`,
        `${indent}p${high} = ${xor(`p${high}`, 'swap')};`,
        `${indent}p${low} = ${xor(`p${low}`, `i64x2.shl(swap, ${distance})`)};`,
      );
    }
  }
  return lines;
}

/** Constant byte permutation: state byte i (row i mod 4, column i div 4) is taken from `from(row, column)`. */
function permute(value, from) {
  const indices = Array.from({ length: 16 }, (_, i) => {
    const [row, column] = from(i % 4, i >> 2);
    return row + 4 * column;
  });
  return `i8x16.swizzle(${value}, i8x16(${indices.join(', ')}))`;
}
const shiftRows = (row, column) => [row, (column + row) % 4];
const nextRow = (row, column) => [(row + 1) % 4, column];
const secondNextRow = (row, column) => [(row + 2) % 4, column];
const compose = (outer, inner) => (row, column) => inner(...outer(row, column));

const out = (plane) => `s${7 - plane}`;
const key = (plane, base) => `v128.load(${base}, ${plane * 16})`;

/** Twice the value in GF(2^8) whose planes have these names (FIPS 197 4.2.1). */
const doubled = (plane, name) =>
  plane === 0 ? name(7) : [1, 3, 4].includes(plane) ? xor(name(plane - 1), name(7)) : name(plane - 1);

/**
 * ShiftRows and MixColumns (FIPS 197 5.1.2, 5.1.3) of s into p, with the round key: b = 2(a + a') + a' + (a + a')''.
 */
function mixColumns(indent) {
  const lines = [];
  for (const plane of planes) {
    lines.push(`${indent}const a${plane} = ${permute(out(plane), compose(nextRow, shiftRows))};`);
    lines.push(`${indent}const d${plane} = ${xor(permute(out(plane), shiftRows), `a${plane}`)};`);
  }
  for (const plane of planes) {
    const rest = xor(`a${plane}`, permute(`d${plane}`, secondNextRow));
    const sum = xor(
      doubled(plane, (other) => `d${other}`),
      rest,
    );
    lines.push(`${indent}p${plane} = ${xor(sum, key(plane, 'keys'))};`);
  }
  return lines;
}

const aesRounds = [
  '// Bit planes: bit j of byte i of plane k is bit k of state byte i of block j. No load has a secret address and no branch',
  '// a secret condition: loops run over batches of 8 blocks, which the processor works at side by side.',
  '',
  '/** SubBytes (FIPS 197 5.1.1) of 16 bytes. */',
  'export function subBytes(x: v128): v128 {',
  ...planes.map((plane) => `  const p${plane} = ${plane === 0 ? 'x' : `i16x8.shr_u(x, ${plane})`};`),
  ...sbox('  '),
  '  const bit = i8x16.splat(1);',
  '  let y = i8x16.splat(0x63);',
  ...planes.map((plane) => {
    const value = `v128.and(${out(plane)}, bit)`;
    return `  y = ${xor('y', plane === 0 ? value : `i16x8.shl(${value}, ${plane})`)};`;
  }),
  '  return y;',
  '}',
  '',
  '/** Converts `batches` · 8 blocks at `blocks` to bit planes and adds the first round key. */',
  'export function firstRound(blocks: usize, batches: i32, keys: usize): void {',
  '  for (let i = 0; i < batches; i++) {',
  ...planes.map((plane) => `    let p${plane} = v128.load(blocks, ${plane * 16});`),
  '    let swap: v128;',
  ...transpose('    '),
  ...planes.map((plane) => `    v128.store(blocks, ${xor(`p${plane}`, key(plane, 'keys'))}, ${plane * 16});`),
  '    blocks += 128;',
  '  }',
  '}',
  '',
  '/** One of the 13 middle rounds. */',
  'export function middleRound(blocks: usize, batches: i32, keys: usize): void {',
  '  for (let i = 0; i < batches; i++) {',
  ...planes.map((plane) => `    let p${plane} = v128.load(blocks, ${plane * 16});`),
  ...sbox('    '),
  ...mixColumns('    '),
  ...planes.map((plane) => `    v128.store(blocks, p${plane}, ${plane * 16});`),
  '    blocks += 128;',
  '  }',
  '}',
  '',
  '/** The last round. Converts bit planes back to blocks and XORs them into `data`. */',
  'export function lastRound(blocks: usize, batches: i32, keys: usize, data: usize): void {',
  '  for (let i = 0; i < batches; i++) {',
  ...planes.map((plane) => `    let p${plane} = v128.load(blocks, ${plane * 16});`),
  ...sbox('    '),
  ...planes.map((plane) => `    p${plane} = ${xor(permute(out(plane), shiftRows), key(plane, 'keys'))};`),
  '    let swap: v128;',
  ...transpose('    '),
  ...planes.map(
    (plane) => `    v128.store(data, ${xor(`p${plane}`, `v128.load(data, ${plane * 16})`)}, ${plane * 16});`,
  ),
  '    blocks += 128;',
  '    data += 128;',
  '  }',
  '}',
  '',
].join('\n');

const rows = [0, 1, 2, 3];
const tile = rows.flatMap((row) => [`s${row}0`, `s${row}1`]);

/** Lines of one step of the multiplication: eight weights with one float of each of four rows. */
function multiplyStep(indent, step) {
  const [b0, b1] = [`b${step}0`, `b${step}1`];
  return [
    `${indent}const ${b0} = v128.load(w, 0);`,
    `${indent}const ${b1} = v128.load(w, 16);`,
    ...rows.map((row) => `${indent}const x${step}${row} = v128.load32_splat(a, ${4 * row});`),
    ...tile.map((sum) => `${indent}${sum} = f32x4.add(${sum}, f32x4.mul(x${step}${sum[1]}, b${step}${sum[2]}));`),
    `${indent}a += 16;`,
    `${indent}w += 32;`,
    `${indent}if (a == stop) break;`,
  ];
}

/** Lines that read where the outputs of four listed pixels are. */
const places = (indent) =>
  rows.map((row) => `${indent}const at${row} = <usize>load<u32>(list, ${8 * row + 4}) + offset;`);

/** Lines that set one value for each half of eight outputs. */
const forTile = (indent, name, value) => [0, 1].map((half) => `${indent}${name}${half} = ${value(half)};`);

/** Lines that multiply two weights at `q`, of `bytes` together, with a number of each of four rows at `p`. */
function scalarSteps(indent, type, bytes, next) {
  const size = bytes / 2;
  return [
    'do {',
    ...[0, 1].map((half) => `  const q${half} = load<${type}>(q, ${size * half});`),
    ...rows.map((row) => `  const p${row} = load<${type}>(p, ${size * row});`),
    ...tile.map((sum) => `  t${sum} += p${sum[1]} * q${sum[2]};`),
    `  p += ${4 * size};`,
    `  q += ${next};`,
    '} while (p != stop);',
  ].map((line) => `${indent}${line}`);
}

/**
 * Lines that compute the tile as scalars, two columns at a time, which is as much as fits the registers. Each output adds
 * up its products in the same order as in vectors.
 */
function scalarTile(indent) {
  return [
    'for (let column: usize = 0; column < 32; column += 8) {',
    ...tile.map((sum) => `  let t${sum} = load<f32>(bias + column, ${4 * Number(sum[2])});`),
    '  let p = a;',
    '  let q = w + column;',
    ...scalarSteps('  ', 'f32', 8, 32),
    ...tile.map((sum) => `  store<f32>(y + at${sum[1]} + column, t${sum}, ${4 * sum[2]});`),
    '}',
    'a = stop;',
    ...tile.map((sum) => `${sum} = v128.load(y + at${sum[1]}, ${16 * sum[2]});`),
  ].map((line) => `${indent}${line}`);
}

// V8 moves the loads of a basic block before its arithmetic. The six loads, eight sums and one product of a step just
// fit fifteen registers; larger blocks or tiles would spill. So each step ends in a branch. Six steps share the loop's
// overhead (stack check, copies): 7 % faster than V8's own unrolling.
const panel = [
  '// The multiplication under convolutions: four rows of floats with eight columns of packed weights.',
  '',
  "import { activate } from './multiply';",
  '',
  '/**',
  ' * Computes eight outputs of the pixels listed from `list` to `end`, four at a time, from consecutive rows packed as',
  ' * [inner][4] at `a`, with `b` as [inner][8], plus `bias`. An entry tells where in `y` and `residual` the outputs of its',
  ' * pixel are, `offset` added. The value at `residual` is added first unless it is 0; negative sums are multiplied by',
  ' * `slopes`.',
  ' */',
  'export function multiplyPanel(',
  ...['a: usize', 'b: usize', 'inner: i32', 'bias: usize', 'slopes: usize', 'residual: usize'].map((p) => `  ${p},`),
  ...['list', 'end', 'y', 'offset'].map((p) => `  ${p}: usize,`),
  '): void {',
  '  for (; list < end; list += 32) {',
  ...places('    '),
  ...tile.map((sum) => `    let ${sum} = v128.load(bias, ${16 * Number(sum[2])});`),
  '    let w = b;',
  '    const stop = a + (<usize>inner << 4);',
  '    if (SCALAR) {',
  ...scalarTile('      '),
  '    } else {',
  '      while (true) {',
  ...[0, 1, 2, 3, 4, 5].flatMap((step) => multiplyStep('        ', step)),
  '      }',
  '    }',
  '    if (residual != 0) {',
  ...tile.map((sum) => `      ${sum} = f32x4.add(${sum}, v128.load(residual + at${sum[1]}, ${16 * sum[2]}));`),
  '    }',
  ...forTile('    ', 'const slope', (half) => `v128.load(slopes, ${16 * half})`),
  ...tile.map((sum) => `    v128.store(y + at${sum[1]}, activate(${sum}, slope${sum[2]}), ${16 * sum[2]});`),
  '  }',
  '}',
  '',
].join('\n');

/** Lines of one step of the multiplication of integers: two of each of four rows, with two weights of eight outputs. */
const integerStep = (i) => [
  ...forTile('        ', `const b${i}`, (half) => `v128.load(w, ${32 * i + 16 * half})`),
  ...rows.map((row) => `        const x${i}${row} = v128.load32_splat(a${row}, ${4 * i});`),
  ...tile.map((sum) => `        ${sum} = i32x4.add(${sum}, i32x4.dot_i16x8_s(x${i}${sum[1]}, b${i}${sum[2]}));`),
];

/** Lines that make integers of the tile's sums, none of them a branch, which would cost the loop its registers. */
const integersOf = (isSloped) => [
  ...places(''),
  ...['term', 'lowest', 'highest'].map((name, i) => `const ${name} = v128.load(constants, ${16 * i});`),
  ...forTile('', 'const m', (half) => `v128.load(multipliers, ${16 * half})`),
  ...tile.map((sum) => `${sum} = f32x4.mul(f32x4.convert_i32x4_s(${sum}), m${sum[2]});`),
  ...(isSloped ? forTile('', 'const slope', (half) => `v128.load(slopes, ${16 * half})`) : []),
  ...(isSloped ? tile.map((sum) => `${sum} = f32x4.pmax(${sum}, f32x4.mul(${sum}, slope${sum[2]}));`) : []),
  ...rows.map((row) => `v128.store(y + at${row}, rounded(s${row}0, s${row}1, term, lowest, highest));`),
];

/** Lines of a function that sums eight outputs of pixels, four at a time, and does the lines `last` with the sums. */
const integerPanel = (name, more, last) => [
  `export function ${name}(`,
  ...['list', 'end', 'run', 'pitch'].map((parameter) => `  ${parameter}: usize,`),
  '  height: i32,',
  ...['filters', 'bias', ...more].map((parameter) => `  ${parameter}: usize,`),
  '): void {',
  '  const gap = pitch - run;',
  '  for (; list < end; list += 32) {',
  ...rows.map((row) => `    let a${row}: usize = load<u32>(list, ${8 * row});`),
  ...tile.map((sum) => `    let ${sum} = v128.load(bias, ${16 * Number(sum[2])});`),
  '    let w = filters;',
  '    for (let row = height; row > 0; row--) {',
  '      const stop = a0 + run;',
  '      while (true) {',
  ...integerStep(0),
  '        // Never so, since the number of steps is even. The branch makes two basic blocks of the two steps.',
  '        if (a0 == stop) break;',
  ...integerStep(1),
  ...rows.map((row) => `        a${row} += 8;`),
  '        w += 64;',
  '        if (a0 == stop) break;',
  '      }',
  ...rows.map((row) => `      a${row} += gap;`),
  '    }',
  ...last.map((line) => `    ${line}`),
  '  }',
  '}',
  '',
];

const storedSums = [...tile.map((sum, i) => `v128.store(sums, ${sum}, ${16 * i});`), 'sums += 128;'];
const finishing = ['multipliers', 'constants', 'y', 'offset'];

const integerPanels = [
  '// The multiplications under convolutions of integers: four pixels with eight outputs, or without vectors with four.',
  '',
  "import { rounded, roundedScalar } from './requantise';",
  '',
  '/**',
  ' * Sums eight outputs of the pixels listed from `list` to `end`, [pixels][8]. An entry is the address of a window, whose',
  ' * `height` rows of `run` bytes are `pitch` bytes apart, and where in `y` its outputs are, `offset` added.',
  ' */',
  ...integerPanel('sumIntegers', ['sums'], storedSums),
  '/** The same, and stores outputs that have a multiplier, with the `constants` of `storeConstants`. */',
  ...integerPanel('multiplyIntegers', finishing, integersOf(false)),
  '/** The same with slopes, none of which is above 1. */',
  ...integerPanel('multiplySloped', ['slopes', ...finishing], integersOf(true)),
  '/** The factor of a number: 1, or `slope` if it is negative. No branch, since nobody can predict a sign. */',
  '// @ts-ignore: decorator',
  '@inline',
  'function factorOf(value: f32, slope: f32): f32 {',
  '  const one = reinterpret<i32>(<f32>1);',
  '  return reinterpret<f32>(one ^ ((one ^ reinterpret<i32>(slope)) & (reinterpret<i32>(value) >> 31)));',
  '}',
  '',
  '/** In units of this is the second of two weights in a double, and their sums. */',
  'const upper: f64 = 134217728;',
  '',
  '/** Adds the two sums in `partial` to those at `sums`. */',
  '// @ts-ignore: decorator',
  '@inline',
  'function split(partial: f64, sums: usize): void {',
  '  // Next to this term there are no bits for the lower sum, which is less than half of `upper`.',
  '  const term = upper * 6755399441055744;',
  '  const high = partial + term - term;',
  '  store<f64>(sums, load<f64>(sums, 0) + (partial - high), 0);',
  '  store<f64>(sums, load<f64>(sums, 8) + high * (1 / upper), 8);',
  '}',
  '',
  '/**',
  ' * Computes four outputs of the four pixels at `list`, from windows packed as [inner][4] at `windows` with pairs of',
  ' * weights, [inner][2] at `filters`. A double has room for the sums of `count` products; if 0, pairs are of doubles with',
  ' * one weight each, and there are twice as many. `sums` is work space.',
  ' */',
  'export function multiplyDoubles(',
  ...['list: usize', 'windows: usize', 'inner: i32', 'count: i32'].map((parameter) => `  ${parameter},`),
  ...['filters', 'bias', 'multipliers', 'slopes', 'residual'].map((parameter) => `  ${parameter}: usize,`),
  ...['residualMultiplier', 'low', 'most'].map((parameter) => `  ${parameter}: f32,`),
  ...['y: usize', 'offset: usize', 'isFloat: bool', 'sums: usize'].map((parameter) => `  ${parameter},`),
  '): void {',
  ...[...Array(16).keys()].map((i) => `  store<f64>(sums, 0, ${8 * i});`),
  '  let q = filters;',
  '  const end = windows + (<usize>inner << 5);',
  '  const halves: usize = count == 0 ? 2 : 1;',
  '  for (let half: usize = 0; half < halves; half++) {',
  '    let p = windows;',
  '    while (p < end) {',
  '      const stop = count == 0 ? end : min(end, p + (<usize>count << 5));',
  ...tile.map((sum) => `      let t${sum}: f64 = 0;`),
  ...scalarSteps('      ', 'f64', 16, 16),
  '      if (count == 0) {',
  '        const to = sums + (half << 4);',
  ...tile.map((sum) => `        store<f64>(to, t${sum}, ${32 * sum[1] + 8 * sum[2]});`),
  '      } else {',
  ...tile.map((sum, i) => `        split(t${sum}, sums + ${16 * i});`),
  '      }',
  '    }',
  '  }',
  ...places('  '),
  '  for (let o: usize = 0; o < 16; o += 4) {',
  '    const b: f64 = load<i32>(bias + o);',
  '    const m = load<f32>(multipliers + o);',
  ...rows.map((row) => `    let v${row} = <f32>(load<f64>(sums + (o << 1), ${32 * row}) + b) * m;`),
  '    if (residual != 0) {',
  '      const from = residual + (o >> 1);',
  ...rows.map((row) => `      v${row} += <f32>load<i16>(from + at${row}) * residualMultiplier;`),
  '    }',
  '    if (slopes != 0) {',
  '      const slope = load<f32>(slopes + o);',
  ...rows.map((row) => `      v${row} = v${row} * factorOf(v${row}, slope) + 0;`),
  '    }',
  '    if (isFloat) {',
  ...rows.map((row) => `      store<f32>(y + (at${row} << 1) + o, max(v${row}, low));`),
  '    } else {',
  '      const to = y + (o >> 1);',
  ...rows.map((row) => `      store<i16>(to + at${row}, roundedScalar(v${row}, low, most));`),
  '    }',
  '  }',
  '}',
  '',
].join('\n');

/** Sources by their names in assembly/. */
export const generated = {
  'aes-rounds.ts': aesRounds,
  'multiply-panel.ts': panel,
  'multiply-integers.ts': integerPanels,
};
