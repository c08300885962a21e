/** Something that is waited for until a test lets it come. */
export function signal(): { readonly came: Promise<void>; come(): void } {
  let come = () => {};
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { came, come: () => come() };
}
