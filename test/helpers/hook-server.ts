import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { version } from '../../src/lib/workspace/version.js'
import { cliWorkspace } from './cli.js'
import { answerChallenge, registrationOf, writeRegistration } from './fake-daemon.js'

export interface SeenHook {
  url: string | undefined
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface HookServer {
  url: string
  seen: SeenHook[]
}

/** Replaces the daemon of the test's workspace and records the requests of a hook command. */
export async function startHookServer(
  t: ExecutionContext,
  answer: (response: ServerResponse) => void,
  { registered = true } = {},
): Promise<HookServer> {
  const seen: SeenHook[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    seen.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks) })
    response.setHeader('x-request-id', 'r')
    answerChallenge(request, response)
    answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const workspace = cliWorkspace(t)
  const registration = registrationOf({ port, version, workspace })
  if (registered) writeRegistration(workspace, JSON.stringify(registration))
  return { url: `http://127.0.0.1:${port}`, seen }
}
