// Puts the sources of both native shells into dist/shell: Gradle and CocoaPods build them in the app, from this package
// alone.
import { cpSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const native = new URL('../../device-sdk-native/', import.meta.url);
const shells = [
  ['android/device/src/main/', 'android/src/main/'],
  ['android/device/consumer-rules.pro', 'android/consumer-rules.pro'],
  ['ios/Sources/SvcDevice/', 'ios/'],
];

for (const [from, to] of shells) {
  const source = new URL(from, native);
  if (!existsSync(source)) throw new Error(`packages/device-sdk-native/${from} is not there`);
  cpSync(source, fileURLToPath(new URL(`../dist/shell/${to}`, import.meta.url)), { recursive: true });
}
