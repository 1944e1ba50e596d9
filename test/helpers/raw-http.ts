import { connect } from 'node:net'

/** Sends raw bytes that no HTTP client would send. @returns the answer up to the end of the connection */
export function rawAnswer(url: string, bytes: string, localAddress = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url)
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress }, () => socket.write(bytes))
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('error', reject)
  })
}

export interface RawRequest {
  /** Method and address. */
  line: string
  /** The lines between the first and the body. */
  headers: readonly string[]
  body?: string
  /** HTTP version. */
  version?: string
  /** Source address of the connection. */
  from?: string
}

/** Status and code of the answer to one request. */
export async function rawOutcome(
  url: string,
  { line, headers, body = '', version = '1.1', from }: RawRequest,
): Promise<[number, string]> {
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  const head = [`${line} HTTP/${version}`, ...headers, ...length, 'connection: close']
  const text = await rawAnswer(url, `${head.join('\r\n')}\r\n\r\n${body}`, from)
  const answer = text.slice(text.indexOf('\r\n\r\n') + 4)
  const { code } = answer.startsWith('{') ? (JSON.parse(answer) as { code?: string }) : {}
  return [Number(text.slice(9, 12)), code ?? 'ok']
}
