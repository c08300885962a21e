interface TrustedTypesFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): unknown;
}

/**
 * The page's one Trusted Types policy: scripts and workers come from the page's own folder. There is no rule for markup
 * or code from text, so both are refused. Without Trusted Types, the content security policy covers nearly the same.
 * @param page address of the page
 */
export function guardScripts(page: URL): void {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypesFactory };
  const folder = new URL('.', page).href;
  trustedTypes?.createPolicy('default', {
    createScriptURL(url) {
      if (!new URL(url, page).href.startsWith(folder)) throw new TypeError('a script from elsewhere');
      return url;
    },
  });
}
