import { SvcConnectionError } from './errors.ts';

/**
 * The lines of a body of UTF-8 text, without their ends; a last line without an end is left out.
 * @throws SvcConnectionError 'unrecognised-answer' where the body is no UTF-8
 */
export async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of body) {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw new SvcConnectionError('unrecognised-answer', { cause });
    }
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
