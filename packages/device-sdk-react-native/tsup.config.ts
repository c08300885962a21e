import { svcPackage } from '../../tsup.shared.ts';

export default svcPackage({ entry: ['src/index.ts'] });
