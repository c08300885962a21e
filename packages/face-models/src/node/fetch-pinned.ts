import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PinnedFile } from '../add-ons/add-on.ts';
import { ModelError } from '../model-error.ts';

/** How long a server is waited for, in milliseconds: until an answer begins, between its parts, for a whole file. */
export type Patience = Readonly<Record<'connectMs' | 'stallMs' | 'totalMs', number>>;

const usualPatience: Patience = { connectMs: 2_000, stallMs: 5_000, totalMs: 60_000 };

/** Whether these are the bytes that the authors published. */
const isPublished = ({ bytes, digest }: PinnedFile, content: Uint8Array): boolean =>
  content.length === bytes && createHash(digest.algorithm).update(content).digest('hex') === digest.hex;

/** @throws ModelError `model-mismatch` for other bytes than the published ones */
export function requirePublished(pinned: PinnedFile, content: Uint8Array): Uint8Array {
  if (isPublished(pinned, content)) return content;
  throw new ModelError('model-mismatch', `${pinned.file} is not the file that its authors published`);
}

/**
 * Fetches a published file. What has come of it stays in `folder` until {@link forgetPartials}, also after a failure or
 * a kill, and the next call goes on from there.
 *
 * @param urls tried in turn while the server has no such file
 * @param folder for parts of files, made when missing
 * @throws ModelError `install-failed` if it cannot be fetched or stored, `model-mismatch` if it is another file, of
 *   which nothing is kept
 */
export async function fetchPinned(
  pinned: PinnedFile,
  urls: readonly string[],
  folder: string,
  patience: Patience = usualPatience,
): Promise<Uint8Array> {
  try {
    await mkdir(folder, { recursive: true });
    const path = await claimPartial(folder, pinned);
    try {
      for (;;) {
        const had = await complete(path, pinned, urls, patience);
        const content = await readFile(path);
        if (isPublished(pinned, content)) return content;
        await rm(path);
        // What was there may have been of another file: once more, whole.
        if (had === 0) return requirePublished(pinned, content);
      }
    } finally {
      await letGo(path, join(folder, nameOf(pinned, NOBODY))).catch(() => undefined);
      writing.delete(path);
    }
  } catch (cause) {
    if (cause instanceof ModelError) throw cause;
    throw new ModelError('install-failed', `${pinned.file} could not be fetched: ${reasonOf(cause)}`, { cause });
  }
}

/** Deletes what {@link fetchPinned} has kept of the files. */
export async function forgetPartials(files: readonly PinnedFile[], folder: string): Promise<void> {
  for (const file of files)
    for (const name of await freeParts(folder, file).catch(() => [])) await rm(join(folder, name), { force: true });
}

/** A part has the name of its digest and of the process that writes it. */
const NOBODY = 0;
const nameOf = ({ digest }: PinnedFile, owner: number, suffix = ''): string =>
  `${digest.hex.slice(0, 32)}.${owner}${suffix}`;

/** Paths of the parts that this process writes. In a container, a killed one before it had its number. */
const writing = new Set<string>();

/** The parts of a file that no running process writes. */
async function freeParts(folder: string, file: PinnedFile): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => {
    const owner = Number(name.split('.')[1]);
    return name.startsWith(nameOf(file, owner)) && !isRunning(owner) && !writing.has(join(folder, name));
  });
}

/** Takes over the part that a process has left; two processes never write to the same one. @returns its path */
async function claimPartial(folder: string, pinned: PinnedFile): Promise<string> {
  const own = join(folder, nameOf(pinned, process.pid, `.${randomUUID()}`));
  writing.add(own);
  for (const name of await freeParts(folder, pinned)) {
    const failure = await rename(join(folder, name), own).catch(() => 'another one was faster');
    if (failure === undefined) break;
  }
  return own;
}

async function letGo(path: string, freePath: string): Promise<void> {
  const { size } = await stat(path);
  await (size === 0 ? rm(path) : rename(path, freePath));
}

function isRunning(pid: number): boolean {
  if (pid === NOBODY || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Fetches what the part at `path` lacks. @returns the bytes that it had before */
async function complete(
  path: string,
  pinned: PinnedFile,
  urls: readonly string[],
  patience: Patience,
): Promise<number> {
  const part = await open(path, 'a');
  const limit = createLimit(patience);
  try {
    const { size } = await part.stat();
    if (size < pinned.bytes) await append(part, await firstAnswer(urls, size, limit), pinned.bytes, limit);
    return size;
  } finally {
    limit.end();
    await part.close();
  }
}

type Limit = ReturnType<typeof createLimit>;

function createLimit({ connectMs, stallMs, totalMs }: Patience) {
  const controller = new AbortController();
  const endAfter = (ms: number, what: string) =>
    setTimeout(() => controller.abort(new Error(`${what} within ${ms / 1_000} s`)), ms);
  const total = endAfter(totalMs, 'it was not done');
  let step = endAfter(connectMs, 'no answer');
  return {
    signal: controller.signal,
    /** Something came. */
    goOn(): void {
      clearTimeout(step);
      step = endAfter(stallMs, 'nothing more came');
    },
    end(): void {
      clearTimeout(step);
      clearTimeout(total);
      controller.abort();
    },
  };
}

/** The answer of the first address that has the file, from byte `from` on where the server can. */
async function firstAnswer(urls: readonly string[], from: number, limit: Limit): Promise<Response> {
  let why = 'no address';
  for (const url of urls) {
    const ask = (start: number): Promise<Response> => {
      const headers = { 'Accept-Encoding': 'identity', ...(start > 0 ? { Range: `bytes=${start}-` } : {}) };
      return fetch(url, { headers, redirect: 'manual', signal: limit.signal });
    };
    let answer = await ask(from);
    // What is there is longer than the server's file.
    if (answer.status === 416) answer = await ask(0);
    limit.goOn();
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true;
    if ((answer.status === 200 || answer.status === 206) && !isPage) return answer;
    why = isPage ? 'the answer is an HTML page, as of a proxy' : `the server answered ${answer.status}`;
    await answer.body?.cancel();
  }
  throw new Error(why);
}

async function append(part: FileHandle, answer: Response, bytes: number, limit: Limit): Promise<void> {
  let { size } = await part.stat();
  const continues = answer.headers.get('content-range')?.startsWith(`bytes ${size}-`) === true;
  if (answer.status === 206 && !continues) throw new Error('the answer is another part of the file');
  if (answer.status === 200 && size > 0) {
    await part.truncate(0);
    size = 0;
  }
  // Leaving the loop cancels the transfer, so an endless answer fills no disk.
  for await (const chunk of answer.body ?? []) {
    limit.goOn();
    size += chunk.length;
    if (size > bytes) break;
    await part.appendFile(chunk);
  }
  if (size > bytes) {
    await part.truncate(0);
    throw new Error('the answer is longer than the file');
  }
  // A proxy may end an answer early without an error; what came is kept.
  if (size < bytes) throw new Error('the answer is shorter than the file');
}

/** Why a transfer failed, on one line and without an address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'the disk is full';
  // Fetch tells in the cause what happened to the connection.
  const { cause } = error as { cause?: Partial<NodeJS.ErrnoException> };
  return cause === undefined ? (code ?? error.message) : `no connection (${cause.code ?? cause.message})`;
}
