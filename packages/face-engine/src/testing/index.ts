/** Helpers for other packages' tests of faces. Exported under the condition `svc-source` only. */
export { roiFromLandmarks } from '../mesh/mesh.ts';
export { drawnRelief } from './drawn-relief.ts';
export { faceAnalysis } from './face-analysis.ts';
