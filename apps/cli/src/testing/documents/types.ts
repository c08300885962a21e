import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Block, root } from './blocks.ts';

/** What blocks use and their reader has. */
const reader = `
declare const forget: (personId: string) => void, grab: () => Promise<import('@svc/device-sdk').CameraFrame['image']>;
declare const display: { show(...prompt: readonly (string | number | null | undefined)[]): void };
declare const region: import('@svc/device-sdk').Region, show: (prompt: import('@svc/device-sdk').Prompt) => void;
declare const device: import('@svc/device-sdk-react-native').Device;
declare const deviceToken: string, scannedId: string, eventId: string, token: string;
declare const client: import('@svc/server-sdk').SvcClient, request: Request, rawBytes: Uint8Array;
declare const express: typeof import('express'), app: import('express').Express, container: HTMLElement;
`;

const paths = {
  '@svc/*': [join(root, 'packages/*/src/index.ts')],
  'react/*': [join(root, 'packages/device-sdk-react-native/node_modules/@types/react/*')],
  '*': [join(root, 'apps/api/node_modules/@types/*'), join(root, 'apps/api/node_modules/*')],
};
const configuration = {
  extends: join(root, 'tooling/tsconfig.dom.json'),
  compilerOptions: {
    ...{ paths, typeRoots: [join(root, 'node_modules/@types')], jsxImportSource: 'react', noUnusedLocals: false },
  },
  include: ['*', join(root, 'apps/widget/src/loader/api.ts')],
};

/** Checks blocks as modules of one program, with the sources of the packages that they import. @returns the errors */
export function typeErrorsOf(blocks: readonly Block[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-blocks-'));
  try {
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write('tsconfig.json', JSON.stringify(configuration));
    write('reader.ts', reader);
    for (const [index, { language, text }] of blocks.entries())
      write(`${index}.${language.replace('js', 'ts')}`, `${text}export {};\n`);
    const tsc = join(root, 'tooling/node_modules/typescript-native/bin/tsc');
    const { output } = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: folder, encoding: 'utf8' });
    // The sources are checked elsewhere, with the globals of each.
    const said = output.join('').replaceAll(/^\.\..*\n(?: .*\n)*/gm, '');
    return said.replaceAll(
      /^(\d+)\.\w+\((\d+),\d+\)/gm,
      (_, index, line) => `${blocks[index]?.file}:${Number(blocks[index]?.line) + Number(line)}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
