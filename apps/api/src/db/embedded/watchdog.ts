import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './place.ts';

/**
 * Waits for the end of its standard input, which comes with the death of our process. Then waits five seconds for a
 * successor to take the server over, and otherwise stops it. Checks that the process is this cluster's server.
 */
const SCRIPT = `
read -r _
sleep 5
[ "$(cat "$1" 2>/dev/null)" = "$2" ] || exit 0
pid=$(head -n 1 "$3/postmaster.pid" 2>/dev/null) || exit 0
if [ -r "/proc/$pid/cmdline" ]; then args=$(tr '\\0' ' ' < "/proc/$pid/cmdline"); else args=$(ps -o args= -p "$pid"); fi
case "$args" in *"$3"*) kill -INT "$pid" ;; esac
`;

/** Stops the server of an owner that was killed. */
export class Watchdog {
  readonly #place: Place;
  readonly #ownerFile: string;
  #child: ChildProcess | null = null;

  constructor(place: Place, dataDirectory: string) {
    this.#place = place;
    this.#ownerFile = join(dataDirectory, 'postgres-owner');
  }

  /** Called by the new owner. Never throws: everything else works without a watchdog. */
  async start(): Promise<void> {
    this.stop();
    const ticket = randomUUID();
    const isNoted = await writeFile(this.#ownerFile, ticket, { mode: 0o600 }).then(
      () => true,
      () => false,
    );
    if (!isNoted) return;
    const { clusterDirectory } = this.#place;
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'svc-watchdog', this.#ownerFile, ticket, clusterDirectory], {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    child.unref();
    if (child.stdin !== null && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
    this.#child = child;
  }

  /** Cancels it, since the server has a new owner or was stopped. */
  stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }

  /** As {@link stop}, for an orderly shutdown. */
  async end(): Promise<void> {
    this.stop();
    await rm(this.#ownerFile, { force: true }).catch(() => undefined);
  }
}
