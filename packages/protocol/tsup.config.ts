import { svcPackage } from '../../tooling/tsup.shared.ts';

export default svcPackage({
  entry: ['src/index.ts', 'src/ledger.ts', 'src/operations/endpoints.ts', 'src/operations/roles.ts', 'src/sync.ts'],
});
