import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Recommended add-ons, and the benefit of each. */
const recommended = {
  'face-reidentification-retail-0095': 'recognition that refuses far fewer guests (docs/accuracy.md)',
  minifasnet: 'the passive check against photos and screens',
};
const command = 'npm run svc -- models add recommended';

/** The recommended add-ons that are not in the folder. */
export const missingAddOns = (folder) =>
  Object.keys(recommended).filter(
    (name) =>
      !existsSync(join(folder, name, 'manifest.json')) &&
      // The first release installed its only add-on here.
      !(name === 'minifasnet' && existsSync(join(folder, 'manifest.json'))),
  );

/**
 * Asks in a terminal whether to fetch missing add-ons (one key). Continues without them after a few seconds, and
 * immediately without a terminal.
 *
 * @param o.missing names of add-ons
 * @param o.input, o.output the terminal's
 * @param o.add fetches and installs them; its errors are reported and ignored
 * @param o.waitMs time to answer
 * @returns whether something was installed
 */
export async function offerAddOns({ missing, input, output, add, waitMs = 8_000 }) {
  if (missing.length === 0) return false;
  const list = missing.map((name) => `  ${name}: ${recommended[name]}\n`).join('');
  output.write(
    `Recommended models that are not installed (Apache-2.0, 6 MB in all, pinned by their digests):\n${list}`,
  );
  if (!input.isTTY || !output.isTTY) {
    output.write(`They are added by: ${command}\n`);
    return false;
  }
  output.write(`Fetch them now? y: yes, any other key: not now (goes on by itself in ${Math.round(waitMs / 1000)} s) `);
  const key = await keyWithin(input, waitMs);
  output.write('\n');
  // In raw mode Ctrl-C is not a signal.
  if (key === '\u0003') process.exit(130);
  if (key?.toLowerCase() !== 'y') {
    output.write(`Going on without them. They are added by: ${command}\n`);
    return false;
  }
  try {
    await add();
    return true;
  } catch (error) {
    output.write(`They could not be added: ${error.message}\nGoing on without them. Try again with: ${command}\n`);
    return false;
  }
}

/** The first key that is pressed, or null. */
function keyWithin(input, waitMs) {
  return new Promise((resolve) => {
    const settle = (key) => {
      clearTimeout(timer);
      input.off('data', onData);
      input.off('end', onEnd);
      input.setRawMode?.(false);
      input.pause();
      resolve(key);
    };
    const onData = (chunk) => settle(chunk.toString()[0] ?? null);
    const onEnd = () => settle(null);
    const timer = setTimeout(() => settle(null), waitMs);
    input.setRawMode?.(true);
    input.on('data', onData);
    input.on('end', onEnd);
    input.resume();
  });
}
