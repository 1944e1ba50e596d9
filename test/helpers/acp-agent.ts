import { pathToFileURL } from 'node:url'
import type { Scope } from './daemon-process.js'
import { type FakeProgram, fakeProgram } from './fake-program.js'

const sdk = pathToFileURL(new URL(import.meta.resolve('@agentclientprotocol/sdk')).pathname).href

/**
 * A program `heron-agent` that speaks ACP by the agent side of its SDK.
 * @param turn body of an async function that answers `session/prompt`. It sees `text` (the prompt),
 * `say(text)`, `update(update)`, `ask(kind)`, which returns the outcome of a permission request, `cancelled`
 * (a promise), `session` (the request of `session/new`) and `acp`.
 * @param options.newSession body of the function that answers `session/new`
 * @param options.version the version of ACP that it speaks
 */
export function fakeAcpAgent(
  t: Scope,
  turn: string,
  { newSession = "return { sessionId: 's1' }", version = 'acp.PROTOCOL_VERSION' } = {},
): FakeProgram {
  return fakeProgram(
    t,
    'heron-agent',
    `
const { Readable, Writable } = require('node:stream')
import(${JSON.stringify(sdk)}).then(acp => {
  let session
  let cancel
  const cancelled = new Promise(resolve => { cancel = resolve })
  acp.agent({ name: 'heron-agent' })
    .onRequest('initialize', ({ params }) => ({
      protocolVersion: ${version}, agentCapabilities: {}, authMethods: [], _meta: { client: params.clientCapabilities },
    }))
    .onRequest('session/new', async ({ params }) => { session = params; ${newSession} })
    .onNotification('session/cancel', () => cancel('cancelled'))
    .onRequest('session/prompt', async ({ params, client }) => {
      const text = params.prompt.map(part => part.text).join('')
      const update = value => client.notify('session/update', { sessionId: 's1', update: value })
      const say = words => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } })
      const ask = async kind => (await client.request('session/request_permission', {
        sessionId: 's1',
        toolCall: { toolCallId: 't1', title: 'a tool', kind, status: 'pending' },
        options: [
          { optionId: 'always', name: 'Always', kind: 'allow_always' },
          { optionId: 'once', name: 'Once', kind: 'allow_once' },
          { optionId: 'no', name: 'No', kind: 'reject_once' },
        ],
      })).outcome
      ${turn}
    })
    .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
})
`,
  )
}
