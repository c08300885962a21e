// Entry of an inference thread in the source tree: a thread does not inherit its parent's TypeScript loader.
import { register } from 'tsx/esm/api';

register();
export const { drawLogo, seal, warmUp } = await import('./worker.ts');
