import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from './config.ts';
import { originOf } from './widget.ts';

const read = (environment: Record<string, string>) => readConfig(environment).widget;

describe('where the widget lives', () => {
  it('is this machine unless it is said', () => {
    expect(read({ PORT: '4000' })).toEqual({ url: 'http://localhost:4000/widget', kioskOrigins: [] });
  });

  it.each([
    ['https://widget.example.org', 'https://widget.example.org/'],
    ['https://widget.example.org:8443/face/', 'https://widget.example.org:8443/face/'],
    ['http://127.0.0.1:5173/w', 'http://127.0.0.1:5173/w'],
    ['http://[::1]/', 'http://[::1]/'],
  ])('%s', (text, url) => {
    expect(read({ SVC_WIDGET_URL: text }).url).toBe(url);
    expect(originOf(url)).toBe(new URL(url).origin);
  });

  it.each([
    'widget.example.org',
    'http://widget.example.org',
    'http://localhost.example.org',
    'https://user:secret@widget.example.org',
    'https://widget.example.org/?a=b',
    'https://widget.example.org/#top',
    'https://widget.example.org/#',
    'javascript:alert(1)',
  ])('not %s', (text) => {
    expect(() => read({ SVC_WIDGET_URL: text })).toThrow(ConfigurationError);
    expect(() => read({ SVC_WIDGET_URL: text })).toThrow(/^(?!.*example).*SVC_WIDGET_URL/);
  });
});

describe('kiosks', () => {
  it('are origins, separated by commas', () => {
    const kiosks = ' https://a.example.org , https://b.example.org:444/,http://localhost:5173,';
    expect(read({ SVC_KIOSK_ORIGINS: kiosks }).kioskOrigins).toEqual([
      'https://a.example.org',
      'https://b.example.org:444',
      'http://localhost:5173',
    ]);
  });

  it.each(['*', 'https://a.example.org/app', 'http://a.example.org', 'null', 'https://a.example.org;https://b'])(
    'not %s',
    (text) => {
      expect(() => read({ SVC_KIOSK_ORIGINS: text })).toThrow(ConfigurationError);
    },
  );
});
