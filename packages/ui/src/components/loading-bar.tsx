/** Something is on its way; the words beside it say what. */
export function LoadingBar() {
  return <div class="svc-loading-bar" aria-hidden="true" />;
}
