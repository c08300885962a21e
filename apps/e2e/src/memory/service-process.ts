// Separate program: the service with its inference workers, to be searched.
import { openAdmin, readConfig, startApi } from '@svc/api';
import { answerParent } from '@svc/benchmarks/inputs/program';

const planted: Buffer[] = [];

const actions = {
  /** @returns its address, a new account's key and the region's public one */
  async start(environment: Readonly<Record<string, string>>) {
    const config = readConfig(environment);
    const { url } = await startApi(config, { logDestination: { write: () => true } });
    const admin = await openAdmin(config);
    const account = await admin.accounts.create({ name: 'Test', country: 'DE', billingCurrency: 'EUR', plan: 'pilot' });
    const { apiKey } = await admin.keys.create(account.accountId, 'test');
    const { signingKey } = admin.region();
    await admin.close();
    return { url, apiKey, signingKey };
  },
  /** Hex; kept until the program ends. */
  plant(hex: readonly string[]): void {
    planted.push(...hex.map((text) => Buffer.from(text, 'hex')));
  },
};
export type ServiceProcess = typeof actions;
answerParent(actions);
