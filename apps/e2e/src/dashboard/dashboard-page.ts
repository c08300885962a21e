import type { BrowserContext, Page } from '@playwright/test';
import { complaintsOf } from '../support/complaints.ts';

/** The dashboard in a browser. */
export class DashboardPage {
  readonly page: Page;
  readonly origin: string;
  readonly complaints: string[];

  private constructor(page: Page, origin: string) {
    // The preview shows the widget, which may have a host name of its own.
    const complaints = complaintsOf(page, origin, origin.replace('//dashboard.', '//widget.'));
    [this.page, this.origin, this.complaints] = [page, origin, complaints];
  }

  static async in(context: BrowserContext, origin: string): Promise<DashboardPage> {
    return new DashboardPage(await context.newPage(), origin);
  }

  /** Opens a page by its path below `/dashboard`, and waits until it shows what it fetched. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.origin}/dashboard${path}`);
    await this.settled();
  }

  /** Waits until something is shown, and nothing is shown as being fetched. */
  async settled(): Promise<void> {
    await this.page.locator('h1, [role="alert"]').first().waitFor();
    await this.page.waitForFunction(() => document.querySelector('.svcd-loading, [aria-busy="true"]') === null);
    // What was fetched is painted in the next frame.
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  }

  press(name: string | RegExp): Promise<void> {
    return this.page.getByRole('button', { name, exact: true }).first().click();
  }

  /** Paths of all pages as the router knows them, such as `/events/$eventId/guests`. */
  async paths(): Promise<readonly string[]> {
    const paths = await this.page.evaluate(() =>
      Object.keys((globalThis as unknown as { __TSR_ROUTER__: { routesByPath: object } }).__TSR_ROUTER__.routesByPath),
    );
    return [...new Set(paths.map((path) => (path === '/' ? path : path.replace(/\/$/, ''))))].sort();
  }
}

/** A path with the ids of an account. @throws Error for a parameter that has none */
export function pathOf(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\$(\w+)/g, (_whole, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`no ${name} for ${path}`);
    return encodeURIComponent(id);
  });
}

/** A passkey provider of the browser, which confirms everything at once. @returns its number of passkeys */
export async function addPasskeyProvider(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length;
}
