import { createSvcClient } from '@svc/server-sdk';

const { SVC_URL: baseUrl = 'http://localhost:3000', SVC_API_KEY: apiKey = '', REGION = '' } = process.env;
if (!apiKey.startsWith('svct_')) throw new Error('SVC_API_KEY must be the key of a test account: svct_…');

export const client = createSvcClient({ baseUrl, apiKey });

/** What `svc region show --json` prints; for a device at this address. */
export const region = { ...(REGION === '' ? {} : JSON.parse(REGION)), baseUrl };

/** A list of its own for each test file, so that they run at the same time. Its wording is the one that they send. */
export const newList = () => client.createList({ name: 'backend tests', ongoing: true, country: 'DE' });
