import type { Operation } from '../operation.ts';

export const usageOperations: readonly Operation[] = [];
