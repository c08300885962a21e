/** Helpers for other packages' tests of faces. Exported under the condition `svc-source` only. */
export { drawnRelief } from './drawn-relief.ts';
export { faceAnalysis } from './face-analysis.ts';
