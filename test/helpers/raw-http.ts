import { connect } from 'node:net'

/** What a daemon answers to these bytes, up to the end of the connection: what no HTTP client would send. */
export function rawAnswer(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes))
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('error', reject)
  })
}

/** Status and code of the answer to one request with exactly these lines between its first and its body. */
export async function rawOutcome(
  url: string,
  {
    line,
    headers,
    body = '',
    version = '1.1',
  }: { line: string; headers: readonly string[]; body?: string; version?: string },
): Promise<[number, string]> {
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  const head = [`${line} HTTP/${version}`, ...headers, ...length, 'connection: close']
  const text = await rawAnswer(url, `${head.join('\r\n')}\r\n\r\n${body}`)
  const answer = text.slice(text.indexOf('\r\n\r\n') + 4)
  const { code } = answer.startsWith('{') ? (JSON.parse(answer) as { code?: string }) : {}
  return [Number(text.slice(9, 12)), code ?? 'ok']
}
