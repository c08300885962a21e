// Writes the contract's types for TypeScript, Kotlin and Swift from contract/v1.schema.json.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { packageUrl } from './schema.ts';
import { kotlinTypes, swiftTypes } from './write-native.ts';
import { definitions, messageTypes } from './write-typescript.ts';

const files = {
  'src/generated/messages.ts': messageTypes(),
  'src/generated/definitions.ts': definitions(),
  'android/device/src/main/kotlin/org/svc/device/contract/Contract.kt': kotlinTypes(),
  'ios/Sources/SvcDevice/Contract/Contract.swift': swiftTypes(),
};

for (const [path, text] of Object.entries(files)) {
  const url = new URL(path, packageUrl);
  if (existsSync(url) && readFileSync(url, 'utf8') === text) continue;
  mkdirSync(new URL('./', url), { recursive: true });
  writeFileSync(url, text);
}
