import { type ErrorCode, errorCodes, errorTable } from './errors.ts';

const BY_STATUS_TITLE: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  402: 'Payment required',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  429: 'Too many requests',
  500: 'Internal server error',
  503: 'Service unavailable',
};

function section(code: ErrorCode): string {
  const { title, meaning, retryable } = errorTable[code];
  const retry = retryable ? '\n\nThe same request may succeed later.' : '';
  return `### ${code}\n\n**${title}.** ${meaning}${retry}\n`;
}

/** All errors as Markdown (docs/errors.md): one heading per code, which a problem's `type` links to. */
export function renderErrorReference(): string {
  const statuses = [...new Set(errorCodes.map((code) => errorTable[code].status))];
  const sections = statuses.map((status) => {
    const codes = errorCodes.filter((code) => errorTable[code].status === status);
    return `## ${status} ${BY_STATUS_TITLE[status] ?? ''}\n\n${codes.map(section).join('\n')}`;
  });
  return `# Errors

Every error is a problem of RFC 9457 (\`application/problem+json\`):

| Member | Meaning |
|---|---|
| \`type\` | URI reference of the code’s paragraph below, answered by the deployment itself |
| \`title\` | what is wrong, the same at every occurrence |
| \`status\` | the HTTP status |
| \`detail\` | this occurrence, in a sentence; nothing of the input is repeated in it |
| \`code\` | the stable, machine-readable code; decide by this one |
| \`requestId\` | the same as in the \`X-Request-Id\` header; quote it when you ask |
| \`errors[]\` | for \`invalid-request\` and \`unknown-parameter\`: \`pointer\` (RFC 6901, into the body) or \`parameter\` (of the query), and \`detail\` |
| \`measured\`, \`limit\` | for a photo that misses a limit: the two numbers |
| \`attemptsLeft\` | for a photo that a guest sent: how many more may be tried |
| \`resourceId\` | for \`secret-already-issued\`: what the first request made |

This page is generated from the table of the protocol package (\`npx tsx packages/protocol/scripts/write-errors.ts\`); a test fails when it is stale.

${sections.join('\n')}`;
}
