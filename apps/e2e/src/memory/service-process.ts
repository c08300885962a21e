// Separate program: the service with its inference workers, to be searched. Gets its settings and what to plant by
// messages, and sends its address and a new account's key.
import process from 'node:process';
import { openAdmin, readConfig, startApi } from '@svc/api';

export type ToService =
  | { readonly kind: 'start'; readonly environment: Readonly<Record<string, string>> }
  /** Hex; kept until the program ends. */
  | { readonly kind: 'plant'; readonly hex: readonly string[] };
export type FromService =
  | { readonly kind: 'listening'; readonly url: string; readonly apiKey: string }
  | { readonly kind: 'planted' };

const planted: Buffer[] = [];
const tell = (message: FromService) => process.send?.(message);

async function onMessage(message: ToService): Promise<void> {
  if (message.kind === 'plant') {
    planted.push(...message.hex.map((hex) => Buffer.from(hex, 'hex')));
    tell({ kind: 'planted' });
    return;
  }
  const config = readConfig(message.environment);
  const { url } = await startApi(config, { logDestination: { write: () => true } });
  const admin = await openAdmin(config);
  const account = await admin.accounts.create({ name: 'Test', country: 'DE', billingCurrency: 'EUR', plan: 'pilot' });
  const { apiKey } = await admin.keys.create(account.accountId, 'test');
  await admin.close();
  tell({ kind: 'listening', url, apiKey });
}

process.on('message', (message: ToService) => {
  onMessage(message).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  });
});
// The parent is gone, and nothing else would end this process.
process.on('disconnect', () => process.exit(0));
