import { svcPackage } from '../../tooling/tsup.shared.ts';

export default svcPackage({
  entry: ['src/index.ts', 'src/node.ts', 'src/browser.ts'],
  // import.meta.url in the CommonJS build
  shims: true,
});
