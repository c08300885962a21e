import { type Operation, operations } from '@svc/protocol';

const pairs = (values: object) => Object.entries(values).map(([key, value]) => ({ key, value }));
const bearer = (token: string) => ({ type: 'bearer', bearer: pairs({ token }) });

/** The variables of each kind of caller. The dashboard's own operations are left out. */
const AUTH: Partial<Record<Operation['security'], object>> = {
  apiKey: { type: 'apikey', apikey: pairs({ key: 'X-Api-Key', value: '{{apiKey}}', in: 'header' }) },
  guestToken: bearer('{{guestToken}}'),
  deviceToken: bearer('{{deviceToken}}'),
  none: { type: 'noauth' },
};

function itemOf({ method, path: template, security, parameters, request, summary, description }: Operation) {
  const given = (where: string) =>
    parameters
      .filter((each) => each.in === where)
      .map(({ name: key, required, description }) => ({ key, value: '', disabled: !required, description }));
  const path = template
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/');
  const url = { raw: `{{baseUrl}}/${path.join('/')}`, host: ['{{baseUrl}}'], path };
  const json = request && JSON.stringify(request.example ?? {}, null, 2);
  const body = json && { body: { mode: 'raw', raw: json, options: { raw: { language: 'json' } } } };
  return {
    name: summary,
    request: {
      ...{ method: method.toUpperCase(), description, auth: AUTH[security], header: given('header') },
      ...{ url: { ...url, query: given('query'), variable: given('path') }, ...body },
    },
  };
}

/** A collection for API clients, in Postman's format 2.1, which others import too. */
export function buildCollection(): object {
  const own = operations.filter(({ security, signsIn }) => AUTH[security] !== undefined && signsIn !== true);
  const tags = [...new Set(own.map(({ tag }) => tag))];
  return {
    info: { name: 'Face check-in', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item: tags.map((name) => ({ name, item: own.filter(({ tag }) => tag === name).map(itemOf) })),
    variable: pairs({ baseUrl: 'http://127.0.0.1:3000', apiKey: '', guestToken: '', deviceToken: '' }),
  };
}
