import { type ErrorCode, errorCodes, errorTable } from './errors.ts';

function row(code: ErrorCode): string {
  const { status, title, meaning, retryable } = errorTable[code];
  return `| \`${code}\` | ${status} | **${title}.** ${meaning}${retryable ? ' The same request may succeed later.' : ''} |\n`;
}

/** All errors as Markdown (docs/errors.md). */
export function renderErrorReference(): string {
  return `# Errors

Every error is a problem of RFC 9457 (\`application/problem+json\`):

| Member | Meaning |
|---|---|
| \`type\` | URI reference of the code’s paragraph, which the deployment answers itself |
| \`title\` | what is wrong, the same at every occurrence |
| \`status\` | the HTTP status |
| \`detail\` | this occurrence, in a sentence; of the input nothing is repeated but the kind and the size of a picture |
| \`code\` | the stable, machine-readable code; decide by this one |
| \`requestId\` | the same as in the \`X-Request-Id\` header; quote it when you ask |
| \`errors[]\` | for \`invalid-request\` and \`unknown-parameter\`: \`pointer\` (RFC 6901, into the body) or \`parameter\` (of the query), and \`detail\` |
| \`reason\` | for \`image-invalid\` and \`logo-invalid\`: why the picture cannot be read |
| \`measured\`, \`limit\` | for a photo that misses a limit: the two numbers; for one of another format: its media type |
| \`attemptsLeft\` | for a photo that a guest sent: how many more may be tried |
| \`resourceId\` | for \`secret-already-issued\`: what the first request made |

This page is generated from the table of the protocol package (\`npx tsx packages/protocol/scripts/write-errors.ts\`); a test fails when it is stale.

| Code | Status | Meaning |
|---|---|---|
${errorCodes.map(row).join('')}`;
}
