// Writes what is made of the contract: its JSON Schema, all messages of the vectors, and types for TypeScript, Kotlin and
// Swift.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { contract } from './contract.ts';
import { messageVectors, packageUrl } from './message-vectors.ts';
import { kotlinTypes, swiftTypes } from './write-native.ts';
import { definitions, messageTypes } from './write-typescript.ts';

const files = {
  'contract/v1.schema.json': `${JSON.stringify(contract, null, 2)}\n`,
  'contract/vectors/messages.json': messageVectors(),
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
