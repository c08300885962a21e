/** A camera known to this browser. */
export interface WebCamera {
  /** For `constraints: { deviceId: { exact: … } }`; differs between sites and changes when site data is deleted. */
  readonly deviceId: string;
  /** The system's name for it; empty until the user has allowed a camera once. */
  readonly label: string;
}

/** Lists the current cameras; empty if the browser does not tell. Does not ask for permission. */
export async function listWebCameras(): Promise<readonly WebCamera[]> {
  // Missing outside a secure context, despite its type.
  const { mediaDevices } = navigator as { readonly mediaDevices?: MediaDevices };
  const devices = (await mediaDevices?.enumerateDevices()) ?? [];
  return devices.flatMap(({ kind, deviceId, label }) => (kind === 'videoinput' ? [{ deviceId, label }] : []));
}
