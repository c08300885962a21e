import { svcPackage } from '../../tooling/tsup.shared.ts';

export default svcPackage({
  entry: ['src/index.ts'],
  // Optional dependencies are bundled unless they are named.
  external: ['@napi-rs/keyring'],
});
