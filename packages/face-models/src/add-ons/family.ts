import { type AddOn, type AddOnName, addOnNames } from './add-on.ts';
import { minifasnet } from './minifasnet.ts';
import { retail0095 } from './retail-0095.ts';

const family: Readonly<Record<AddOnName, AddOn>> = { 'face-reidentification-retail-0095': retail0095, minifasnet };

/** Every add-on, the recommended ones, which are all of them today. */
export const addOns: readonly AddOn[] = addOnNames.map((name) => family[name]);
export const addOnOf = (name: AddOnName): AddOn => family[name];
