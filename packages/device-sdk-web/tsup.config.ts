import { svcPackage } from '../../tooling/tsup.shared.ts';

export default svcPackage({
  entry: ['src/index.ts', 'src/older-browsers.ts', 'src/assets/index.ts', 'src/assets/cli.ts'],
  untyped: ['src/assets/cli.ts'],
  models: true,
  // These are built by prepare-sources.
  clean: ['!engine-*.js', '!native/**'],
  shims: true,
});
