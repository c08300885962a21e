/** A camera that this browser knows. */
export interface WebCamera {
  /** For `constraints: { deviceId: { exact: … } }`; differs by site, and anew where site data is deleted. */
  readonly deviceId: string;
  /** What the system calls it; empty before the person allowed a camera once. */
  readonly label: string;
}

/** The cameras there are now; none where the browser does not tell. Asks for no permission. */
export async function listWebCameras(): Promise<readonly WebCamera[]> {
  // Not there outside a secure context, whatever the types say.
  const { mediaDevices } = navigator as { readonly mediaDevices?: MediaDevices };
  const devices = (await mediaDevices?.enumerateDevices()) ?? [];
  return devices.flatMap(({ kind, deviceId, label }) => (kind === 'videoinput' ? [{ deviceId, label }] : []));
}
