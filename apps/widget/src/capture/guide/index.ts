/** What the guidance says of a frame, apart from camera, worker and page. */
export { adviceOf, type Sight } from './advice.ts';
export { lightOf } from './frame-light.ts';
