// Deliberately wrong: each function leaks a secret in one way that the constant-time check must detect. For tests only.

const TABLE = memory.data<u8>([99, 124, 119, 123, 242, 107, 111, 197, 48, 1, 103, 43, 254, 215, 171, 118], 16);

/** Looks up 16 secret bytes in a table, as a fast software AES does. */
export function tableLookup(bytes: usize): void {
  for (let i: usize = 0; i < 16; i++) {
    store<u8>(bytes + i, load<u8>(TABLE + (load<u8>(bytes + i) & 15)));
  }
}

/** Compares byte by byte and stops at the first difference. */
export function earlyExit(a: usize, b: usize, length: i32): i32 {
  for (let i = 0; i < length; i++) {
    if (load<u8>(a + <usize>i) != load<u8>(b + <usize>i)) return 1;
  }
  return 0;
}

/** Reduces with a select instead of a mask. */
export function chooseBySecret(bytes: usize): i32 {
  const value = load<i32>(bytes);
  return select<i32>(value << 1, (value << 1) ^ 0x11b, (value & 0x80) == 0);
}

/** Divides by a secret. */
export function divideBySecret(bytes: usize): i32 {
  return 1000003 / (load<u8>(bytes) | 1);
}

/** Wipes a secret number of bytes. */
export function wipeBySecret(bytes: usize): void {
  memory.fill(bytes + 64, 0, load<u8>(bytes) & 15);
}

/** Stores a secret, loads it and uses it as an address. */
export function throughMemory(bytes: usize): i32 {
  store<u8>(bytes + 64, load<u8>(bytes));
  return load<u8>(bytes + load<u8>(bytes + 64));
}

/** Harmless: selects by mask, and branches on the length only. */
export function masked(bytes: usize, length: i32): void {
  for (let i: usize = 0; i < <usize>length; i++) {
    const value = <u32>load<u8>(bytes + i);
    store<u8>(bytes + i, (value << 1) ^ (0x11b & (0 - (value >> 7))));
  }
}
