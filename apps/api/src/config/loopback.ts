/** Whether a host's name, or its address with or without the brackets of IPv6, is the machine itself. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host);
}
