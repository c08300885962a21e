// Puts the sources of both native shells into dist/shell: Gradle and CocoaPods build them in the app, out of this
// package alone, because a pod has no files outside of its folder.
import { cpSync } from 'node:fs';

const shells = [
  ['android/device/src/main', 'android/src/main'],
  ['android/device/consumer-rules.pro', 'android/consumer-rules.pro'],
  ['ios/Sources/SvcDevice', 'ios'],
  ['ios/ObjectiveC', 'ios'],
];
const native = new URL('../../device-sdk-native/', import.meta.url);
const shell = new URL('../dist/shell/', import.meta.url);

for (const [from, to] of shells) cpSync(new URL(from, native), new URL(to, shell), { recursive: true });
