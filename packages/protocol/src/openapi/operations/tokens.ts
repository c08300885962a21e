import type { Operation } from '../operation.ts';

export const tokenOperations: readonly Operation[] = [];
