/** Drawn faces for the tests of other packages; not published. */
export { type DrawnRelief, drawnRelief } from './drawn-relief.ts';
