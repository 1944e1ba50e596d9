import { connect, type Socket } from 'node:net'
import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'

const requestOf = (url: string, query: string): { head: string; body: string } => {
  const body = JSON.stringify({ query })
  const lines = ['POST /api/memory/recall HTTP/1.1', `host: ${new URL(url).host}`]
  const fields = ['content-type: application/json', `content-length: ${body.length}`, 'expect: 100-continue']
  return { head: `${[...lines, ...fields].join('\r\n')}\r\n\r\n`, body }
}

function isRefused(port: number): Promise<true | undefined> {
  return new Promise(resolve => {
    const socket: Socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.on('error', () => resolve(true))
  })
}

test('a request that arrives on an open connection during a stop is answered with starting and Retry-After', async t => {
  const daemon = await startDaemon(t)
  const port = Number(new URL(daemon.url).port)
  const [first, second] = [requestOf(daemon.url, 'quay'), requestOf(daemon.url, 'crane')]
  const answered: Buffer[] = []
  const socket = connect(port, '127.0.0.1')
  socket.on('data', (chunk: Buffer) => answered.push(chunk))
  const over = new Promise(resolve => socket.once('close', resolve))
  socket.write(first.head)
  await until(() => answered.length > 0)
  const stopped = daemon.stop()
  await until(() => isRefused(port))
  socket.write(`${first.body}${second.head}${second.body}`)
  await Promise.all([over, stopped])
  const text = Buffer.concat(answered).toString()
  t.deepEqual(
    text.match(/HTTP\/1\.1 \d+/gu),
    ['HTTP/1.1 100', 'HTTP/1.1 200', 'HTTP/1.1 100', 'HTTP/1.1 503'],
    text,
  )
  const refused = text.slice(text.lastIndexOf('HTTP/1.1'))
  t.regex(refused, /^retry-after: 1\r$/imu)
  t.regex(refused, /"code":"starting"/u)
})
