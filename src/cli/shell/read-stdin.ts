import { CliError } from './cli-error.js'

/** Returns true if input is piped or redirected into the command. */
export function hasPipedInput(stream: { isTTY?: boolean } = process.stdin): boolean {
  return stream.isTTY !== true
}

/**
 * Reads all of stdin as UTF-8 text.
 * @throws CliError `invalid_input` if it is larger than `maxBytes` or not UTF-8.
 */
export async function readStdin(
  maxBytes: number,
  stream: AsyncIterable<Buffer> = process.stdin,
): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      throw new CliError(`the input is larger than ${maxBytes} bytes`, {
        code: 'invalid_input',
        exit: 'usage',
        nextSteps: ['Split it into smaller inputs'],
      })
    }
    chunks.push(chunk)
  }
  return decodeUtf8(Buffer.concat(chunks), 'the input')
}

/**
 * @throws CliError `invalid_input` for bytes other than UTF-8, since replacement characters would lose data.
 */
export function decodeUtf8(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new CliError(`${name} is not UTF-8 text`, { code: 'invalid_input', exit: 'usage', cause })
  }
}
