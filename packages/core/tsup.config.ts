import { svcPackage } from '../../tooling/tsup.shared.ts';

export default svcPackage({
  entry: ['src/index.ts', 'src/aead/index.ts', 'src/aead/noble.ts', 'src/network/index.ts', 'src/pack/index.ts'],
  // The compiled core is bundled into this package.
  noExternal: ['@svc/wasm'],
});
