// Sixteen blocks as byte planes: byte j of plane i is byte i of block j. Table addresses are public; the secret index of
// a swizzle selects within a register.

/** Transposes the 16 x 16 bytes at `from` to `to`, which may be the same. */
export function transposeBytes(from: usize, to: usize): void {
  const a0 = v128.load(from, 0);
  const a1 = v128.load(from, 16);
  const a2 = v128.load(from, 32);
  const a3 = v128.load(from, 48);
  const a4 = v128.load(from, 64);
  const a5 = v128.load(from, 80);
  const a6 = v128.load(from, 96);
  const a7 = v128.load(from, 112);
  const a8 = v128.load(from, 128);
  const a9 = v128.load(from, 144);
  const a10 = v128.load(from, 160);
  const a11 = v128.load(from, 176);
  const a12 = v128.load(from, 192);
  const a13 = v128.load(from, 208);
  const a14 = v128.load(from, 224);
  const a15 = v128.load(from, 240);
  const b0 = i8x16.shuffle(a0, a8, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const b1 = i8x16.shuffle(a0, a8, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const b2 = i8x16.shuffle(a1, a9, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const b3 = i8x16.shuffle(a1, a9, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const b4 = i8x16.shuffle(a2, a10, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const b5 = i8x16.shuffle(a2, a10, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const b6 = i8x16.shuffle(a3, a11, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const b7 = i8x16.shuffle(a3, a11, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const b8 = i8x16.shuffle(a4, a12, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const b9 = i8x16.shuffle(a4, a12, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const b10 = i8x16.shuffle(a5, a13, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const b11 = i8x16.shuffle(a5, a13, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const b12 = i8x16.shuffle(a6, a14, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const b13 = i8x16.shuffle(a6, a14, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const b14 = i8x16.shuffle(a7, a15, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const b15 = i8x16.shuffle(a7, a15, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const c0 = i8x16.shuffle(b0, b8, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const c1 = i8x16.shuffle(b0, b8, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const c2 = i8x16.shuffle(b1, b9, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const c3 = i8x16.shuffle(b1, b9, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const c4 = i8x16.shuffle(b2, b10, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const c5 = i8x16.shuffle(b2, b10, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const c6 = i8x16.shuffle(b3, b11, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const c7 = i8x16.shuffle(b3, b11, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const c8 = i8x16.shuffle(b4, b12, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const c9 = i8x16.shuffle(b4, b12, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const c10 = i8x16.shuffle(b5, b13, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const c11 = i8x16.shuffle(b5, b13, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const c12 = i8x16.shuffle(b6, b14, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const c13 = i8x16.shuffle(b6, b14, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const c14 = i8x16.shuffle(b7, b15, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const c15 = i8x16.shuffle(b7, b15, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const d0 = i8x16.shuffle(c0, c8, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const d1 = i8x16.shuffle(c0, c8, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const d2 = i8x16.shuffle(c1, c9, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const d3 = i8x16.shuffle(c1, c9, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const d4 = i8x16.shuffle(c2, c10, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const d5 = i8x16.shuffle(c2, c10, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const d6 = i8x16.shuffle(c3, c11, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const d7 = i8x16.shuffle(c3, c11, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const d8 = i8x16.shuffle(c4, c12, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const d9 = i8x16.shuffle(c4, c12, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const d10 = i8x16.shuffle(c5, c13, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const d11 = i8x16.shuffle(c5, c13, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const d12 = i8x16.shuffle(c6, c14, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const d13 = i8x16.shuffle(c6, c14, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const d14 = i8x16.shuffle(c7, c15, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const d15 = i8x16.shuffle(c7, c15, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const e0 = i8x16.shuffle(d0, d8, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const e1 = i8x16.shuffle(d0, d8, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const e2 = i8x16.shuffle(d1, d9, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const e3 = i8x16.shuffle(d1, d9, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const e4 = i8x16.shuffle(d2, d10, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const e5 = i8x16.shuffle(d2, d10, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const e6 = i8x16.shuffle(d3, d11, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const e7 = i8x16.shuffle(d3, d11, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const e8 = i8x16.shuffle(d4, d12, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const e9 = i8x16.shuffle(d4, d12, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const e10 = i8x16.shuffle(d5, d13, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const e11 = i8x16.shuffle(d5, d13, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const e12 = i8x16.shuffle(d6, d14, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const e13 = i8x16.shuffle(d6, d14, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const e14 = i8x16.shuffle(d7, d15, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const e15 = i8x16.shuffle(d7, d15, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  v128.store(to, e0, 0);
  v128.store(to, e1, 16);
  v128.store(to, e2, 32);
  v128.store(to, e3, 48);
  v128.store(to, e4, 64);
  v128.store(to, e5, 80);
  v128.store(to, e6, 96);
  v128.store(to, e7, 112);
  v128.store(to, e8, 128);
  v128.store(to, e9, 144);
  v128.store(to, e10, 160);
  v128.store(to, e11, 176);
  v128.store(to, e12, 192);
  v128.store(to, e13, 208);
  v128.store(to, e14, 224);
  v128.store(to, e15, 240);
}

/**
 * Multiplies the sixteen blocks of byte planes at `planes` by the constant of `tables` and adds them to `sum`.
 * Each of the 32 nibbles of a block has sixteen tables, one per byte of the product.
 */
export function multiplyAdd(planes: usize, tables: usize, sum: usize): void {
  {
    let table = tables;
    let s0 = v128.load(sum, 0);
    let s1 = v128.load(sum, 16);
    let s2 = v128.load(sum, 32);
    let s3 = v128.load(sum, 48);
    let s4 = v128.load(sum, 64);
    let s5 = v128.load(sum, 80);
    let s6 = v128.load(sum, 96);
    let s7 = v128.load(sum, 112);
    for (let i: usize = 0; i < 256; i += 16) {
      const byte = v128.load(planes + i);
      const nibble = i8x16.splat(15);
      const high = v128.and(i16x8.shr_u(byte, 4), nibble);
      const low = v128.and(byte, nibble);
      s0 = v128.xor(s0, v128.xor(i8x16.swizzle(v128.load(table, 0), high), i8x16.swizzle(v128.load(table, 256), low)));
      s1 = v128.xor(s1, v128.xor(i8x16.swizzle(v128.load(table, 16), high), i8x16.swizzle(v128.load(table, 272), low)));
      s2 = v128.xor(s2, v128.xor(i8x16.swizzle(v128.load(table, 32), high), i8x16.swizzle(v128.load(table, 288), low)));
      s3 = v128.xor(s3, v128.xor(i8x16.swizzle(v128.load(table, 48), high), i8x16.swizzle(v128.load(table, 304), low)));
      s4 = v128.xor(s4, v128.xor(i8x16.swizzle(v128.load(table, 64), high), i8x16.swizzle(v128.load(table, 320), low)));
      s5 = v128.xor(s5, v128.xor(i8x16.swizzle(v128.load(table, 80), high), i8x16.swizzle(v128.load(table, 336), low)));
      s6 = v128.xor(s6, v128.xor(i8x16.swizzle(v128.load(table, 96), high), i8x16.swizzle(v128.load(table, 352), low)));
      s7 = v128.xor(s7, v128.xor(i8x16.swizzle(v128.load(table, 112), high), i8x16.swizzle(v128.load(table, 368), low)));
      table += 512;
    }
    v128.store(sum, s0, 0);
    v128.store(sum, s1, 16);
    v128.store(sum, s2, 32);
    v128.store(sum, s3, 48);
    v128.store(sum, s4, 64);
    v128.store(sum, s5, 80);
    v128.store(sum, s6, 96);
    v128.store(sum, s7, 112);
  }
  {
    let table = tables;
    let s8 = v128.load(sum, 128);
    let s9 = v128.load(sum, 144);
    let s10 = v128.load(sum, 160);
    let s11 = v128.load(sum, 176);
    let s12 = v128.load(sum, 192);
    let s13 = v128.load(sum, 208);
    let s14 = v128.load(sum, 224);
    let s15 = v128.load(sum, 240);
    for (let i: usize = 0; i < 256; i += 16) {
      const byte = v128.load(planes + i);
      const nibble = i8x16.splat(15);
      const high = v128.and(i16x8.shr_u(byte, 4), nibble);
      const low = v128.and(byte, nibble);
      s8 = v128.xor(s8, v128.xor(i8x16.swizzle(v128.load(table, 128), high), i8x16.swizzle(v128.load(table, 384), low)));
      s9 = v128.xor(s9, v128.xor(i8x16.swizzle(v128.load(table, 144), high), i8x16.swizzle(v128.load(table, 400), low)));
      s10 = v128.xor(s10, v128.xor(i8x16.swizzle(v128.load(table, 160), high), i8x16.swizzle(v128.load(table, 416), low)));
      s11 = v128.xor(s11, v128.xor(i8x16.swizzle(v128.load(table, 176), high), i8x16.swizzle(v128.load(table, 432), low)));
      s12 = v128.xor(s12, v128.xor(i8x16.swizzle(v128.load(table, 192), high), i8x16.swizzle(v128.load(table, 448), low)));
      s13 = v128.xor(s13, v128.xor(i8x16.swizzle(v128.load(table, 208), high), i8x16.swizzle(v128.load(table, 464), low)));
      s14 = v128.xor(s14, v128.xor(i8x16.swizzle(v128.load(table, 224), high), i8x16.swizzle(v128.load(table, 480), low)));
      s15 = v128.xor(s15, v128.xor(i8x16.swizzle(v128.load(table, 240), high), i8x16.swizzle(v128.load(table, 496), low)));
      table += 512;
    }
    v128.store(sum, s8, 128);
    v128.store(sum, s9, 144);
    v128.store(sum, s10, 160);
    v128.store(sum, s11, 176);
    v128.store(sum, s12, 192);
    v128.store(sum, s13, 208);
    v128.store(sum, s14, 224);
    v128.store(sum, s15, 240);
  }
}
