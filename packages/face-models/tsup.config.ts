import { svcPackage } from '../../tooling/tsup.shared.ts';

export default svcPackage({
  entry: ['src/index.ts', 'src/node.ts'],
  // dist/models is built by prepare-sources.
  clean: ['!models/**'],
  shims: true,
});
