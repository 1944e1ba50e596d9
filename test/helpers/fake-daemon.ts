import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { execa } from 'execa'
import { instanceProof } from '../../src/lib/workspace/instance-proof.js'
import { challengeHeader, proofHeader } from '../../src/lib/workspace/peer-headers.js'
import { networkMark, processMark } from '../../src/lib/workspace/process-mark.js'
import { isAlive, type Registration } from '../../src/lib/workspace/registration.js'
import { until } from './cli.js'

/** A program that answers like a daemon of any version, and stops on request. */
const program = `
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
const [workspace, version, instance] = process.argv.slice(1)
const server = createServer((request, response) => {
  response.setHeader('x-request-id', 'fake')
  response.setHeader('content-type', 'application/json')
  const { port } = server.address()
  const challenge = request.headers['x-service-challenge']
  const proof = createHmac('sha256', instance).update(challenge + ' ' + port).digest('hex')
  if (challenge) response.setHeader('x-service-proof', proof)
  const health = { status: 'healthy', version, pid: process.pid, uptime: 1, port, workspace }
  response.end(JSON.stringify(request.url === '/health' ? health : { ready: true, version, url: request.url }))
  if (request.url === '/api/daemon/shutdown') server.close(() => process.exit(0))
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

/** Starts a substitute for a daemon of another version. @returns its pid; it ends with the test. */
export async function startFakeDaemon(
  t: ExecutionContext,
  workspace: string,
  version: string,
): Promise<number> {
  const words = ['--input-type=module', '--eval', program, workspace, version, fakeInstance]
  const child = execa(process.execPath, words, { reject: false, stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const fields = { pid: child.pid!, port: Number(line), version, workspace }
  writeRegistration(workspace, JSON.stringify(registrationOf(fields)))
  return child.pid!
}

/** Instance id of the workspaces of tests. */
export const fakeInstance = '0123456789abcdef'.repeat(4)

/** The registration that a daemon in a running process would write. */
export function registrationOf(
  fields: Pick<Registration, 'port' | 'version'> & Partial<Registration>,
): Registration {
  const { pid = process.pid } = fields
  const identity = { instance: fakeInstance, process: processMark(pid), network: networkMark() }
  return { pid, host: '127.0.0.1', startedAt: '', workspace: '', ...identity, ...fields } as Registration
}

/** Answers the challenge of a client like the daemon of a workspace of tests. */
export function answerChallenge({ headers, socket }: IncomingMessage, response: ServerResponse): void {
  const { [challengeHeader]: challenge } = headers
  if (challenge !== undefined)
    response.setHeader(proofHeader, instanceProof(fakeInstance, String(challenge), socket.localPort ?? 0))
}

/** Writes `.daemon/daemon.json` with the given text. */
export function writeRegistration(workspace: string, text: string): void {
  mkdirSync(join(workspace, '.daemon'), { recursive: true })
  writeFileSync(join(workspace, '.daemon', 'daemon.json'), text)
}

/** The pid of a process that has ended. */
export async function deadPid(): Promise<number> {
  const child = execa(process.execPath, ['--eval', ''])
  const pid = child.pid!
  await child
  await until(() => !isAlive(pid), 'the process is gone')
  return pid
}
