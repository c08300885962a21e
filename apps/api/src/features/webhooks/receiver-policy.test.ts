import { DAY_MS } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { pauseAfter } from './dispatcher.ts';
import { createReceiverPolicy } from './receiver-policy.ts';

const strict = createReceiverPolicy({ allowedRanges: [], ports: [443], allowHttp: false });

describe('receivers', () => {
  it.each([
    'https://example.com/',
    'https://example.com:443/hooks?tenant=7',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://xn--bcher-kva.example/',
    'https://bücher.example/',
    'https://localhost.example.com/',
  ])('may be at %s', (url) => expect(strict.isUrlAllowed(url)).toBe(true));

  it.each(
    Object.entries({
      'Other schemes, and invalid URLs':
        'http://example.com/ file:///etc/passwd javascript:alert(1) https:// example.com',
      'Another port': 'https://example.com:8443/ https://example.com:0/',
      'URLs that obscure their destination':
        'https://user@example.com/ https://example.com@127.0.0.1/ https://example.com/#fragment',
      'Loopback in all notations':
        'https://127.0.0.1/ https://127.1/ https://2130706433/ https://0177.0.0.1/ https://0x7f000001/ ' +
        'https://127.0.0.1./ https://１２７.0.0.1/ https://[::1]/ https://[::ffff:127.0.0.1]/ ' +
        'https://[::127.0.0.1]/ https://[::ffff:0:127.0.0.1]/',
      'This host, and this network': 'https://0.0.0.0/ https://0.1.2.3/ https://[::]/',
      'Private and carrier-grade NAT networks':
        'https://10.0.0.1/ https://172.31.255.255/ https://192.168.1.1/ https://100.64.0.1/ ' +
        'https://[fc00::1]/ https://[fd12:3456:789a::1]/',
      'Link-local addresses and cloud metadata services':
        'https://169.254.169.254/latest/meta-data/ https://[fe80::1]/ https://[fd00:ec2::254]/ ' +
        'https://100.100.100.200/ https://168.63.129.16/',
      'Translation and tunnels to IPv4':
        'https://[64:ff9b::127.0.0.1]/ https://[64:ff9b:1::7f00:1]/ https://[2002:7f00:1::]/ ' +
        'https://[2001:0:7f00:1::]/',
      'Multicast, broadcast, documentation, benchmarking, reserved, not routed publicly':
        'https://224.0.0.1/ https://255.255.255.255/ https://192.0.2.1/ https://198.18.0.1/ ' +
        'https://240.0.0.1/ https://[ff02::1]/ https://[2001:db8::1]/ https://[3fff::1]/ https://[4000::1]/',
    }),
  )('may not be: %s', (_what, urls) => {
    for (const url of urls.split(' ')) expect([url, strict.isUrlAllowed(url)]).toEqual([url, false]);
  });

  it('may be where the deployment says, and nowhere beside it', () => {
    const settings = { allowedRanges: ['10.1.0.0/16', '::1/128'], ports: null, allowHttp: true };
    const policy = createReceiverPolicy(settings);
    expect(policy.isUrlAllowed('http://10.1.2.3:8080/')).toBe(true);
    expect(policy.isUrlAllowed('https://[::1]:8443/')).toBe(true);
    expect(policy.isUrlAllowed('http://10.2.0.1/')).toBe(false);
    expect(policy.isUrlAllowed('http://127.0.0.1/')).toBe(false);
    expect(policy.isUrlAllowed('http://user@10.1.2.3/')).toBe(false);
    expect(policy.isUrlAllowed('http://[::ffff:10.1.2.3]/')).toBe(false);
  });

  it.each(['', 'localhost', '1.2.3', '010.0.0.1', 'fe80::1%eth0', '2606:4700::1%eth0', '8.8.8.8 ', '0x8.8.8.8'])(
    'are never reached at what is no address: “%s”',
    (address) => expect(strict.isAddressAllowed(address)).toBe(false),
  );
});

describe('dispatcher', () => {
  const pauses = (random: number) =>
    Array.from({ length: 9 }, (_, index) => pauseAfter(index + 1, random) ?? Number.NaN);

  describe('pauses between attempts', () => {
    it('grow from seconds to a day, over three days and some', () => {
      const least = pauses(0);
      expect(least).toEqual([...least].sort((a, b) => a - b));
      expect(least[0]).toBe(5_000);
      const total = least.reduce((sum, pause) => sum + pause, 0);
      expect(total).toBeGreaterThan(3 * DAY_MS);
      expect(total).toBeLessThan(4 * DAY_MS);
    });

    it('end after nine', () => expect(pauseAfter(10, 0)).toBeNull());

    it('are lengthened by a fifth at most', () => {
      const least = pauses(0);
      pauses(0.999_999).forEach((pause, index) => {
        expect(pause / (least[index] ?? 0)).toBeGreaterThan(1.19);
        expect(pause / (least[index] ?? 0)).toBeLessThanOrEqual(1.2);
      });
    });
  });
});
