/** One PostgreSQL for the whole run. */
export { setup } from '@svc/api/testing/global-setup';
