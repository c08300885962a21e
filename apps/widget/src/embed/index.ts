/** What the page in the frame needs of the seam to the page around it; the loader takes the parts by themselves. */
export { readFragment } from './address.ts';
export { connectToParent, followHeight } from './parent.ts';
