import { svcPackage } from '../../tooling/tsup.shared.ts';

export default svcPackage({
  entry: ['src/index.ts'],
  models: true,
  // Optional dependencies are bundled unless they are named.
  external: ['@napi-rs/keyring'],
  // import.meta.url in the CommonJS build
  shims: true,
});
