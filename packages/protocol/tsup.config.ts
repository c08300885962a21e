import { svcPackage } from '../../tsup.shared.ts';

export default svcPackage({
  entry: ['src/index.ts', 'src/operations/endpoints.ts', 'src/operations/roles.ts', 'src/sync.ts'],
});
