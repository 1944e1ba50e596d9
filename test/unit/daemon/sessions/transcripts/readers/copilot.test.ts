import test from 'ava'
import { readTranscript } from '../../../../../../src/daemon/sessions/transcripts/readers/read-transcript.js'
import { stringPieces } from '../../../../../../src/daemon/sessions/transcripts/readers/text-pieces.js'
import type { TranscriptMessage } from '../../../../../../src/daemon/sessions/transcripts/transcript-message.js'

const at = '2026-11-22T14:38:58.672Z'
const start = {
  sessionId: '6afa49c0-ffa8-416f-af5d-56b26a969d2d',
  version: 1,
  producer: 'copilot-agent',
  context: { cwd: '/work/api' },
}

/** An event as Copilot CLI 1.0.102 writes it. */
const event = (type: string, data: object, fields: object = {}) => ({
  type,
  data,
  id: 'e-1',
  timestamp: at,
  parentId: null,
  ...fields,
})

async function read(...events: object[]): Promise<TranscriptMessage[]> {
  const lines = [event('session.start', start), ...events].map(one => JSON.stringify(one)).join('\n')
  const turns: TranscriptMessage[] = []
  for await (const turn of readTranscript(stringPieces(lines))) turns.push(turn)
  return turns
}

test('what the user and the agent say is the conversation, without what hooks added to it', async t => {
  const asked = {
    content: 'why does the build fail',
    transformedContent: `<current_datetime>${at}</current_datetime>\n\nwhy does the build fail\n\n<system_reminder>\nknown\n</system_reminder>`,
    delivery: 'idle',
  }
  const turns = await read(
    event('hook.end', { hookType: 'sessionStart', output: { additionalContext: 'known' } }),
    event('user.message', asked),
    event('system.message', { role: 'system', content: 'You are the GitHub Copilot CLI' }),
    event('assistant.turn_start', { turnId: '0' }),
    event('assistant.message', { content: 'Let me look.', toolRequests: [{ name: 'bash' }] }),
    event('tool.execution_complete', { result: { content: 'make: *** [all] Error 2' } }),
    event('assistant.message', { content: 'The cache is stale.', toolRequests: [] }),
    event('session.compaction_complete', { success: true, summaryContent: 'We talked.' }),
  )
  t.deepEqual(turns, [
    { role: 'user', text: 'why does the build fail', at },
    { role: 'assistant', text: 'Let me look.', at },
    { role: 'assistant', text: 'The cache is stale.', at },
  ])
})

test('sub-agents take no part in the conversation', async t => {
  const agentId = '27fd97c2-d21a-46a4-82d8-973a984e8a69'
  const turns = await read(
    event('user.message', { content: 'look around' }),
    event('user.message', { content: 'List the files.', source: 'agent-6afa49c0' }, { agentId }),
    event('assistant.message', { content: 'There are three.' }, { agentId }),
  )
  t.deepEqual(
    turns.map(({ text }) => text),
    ['look around'],
  )
})

test('what the program wrote in the name of the user or thought aloud was not said', async t => {
  const turns = await read(
    event('user.message', { content: 'skill text', source: 'skill-pdf' }),
    event('user.message', { content: 'a background task is done', source: 'system' }),
    event('user.message', { content: 'Analyze this codebase', source: 'command-init' }),
    event('user.message', { content: 'go on', isAutopilotContinuation: true }),
    event('user.message', { content: 'run the tests', source: 'schedule-1' }),
    event('user.message', { content: 'and then?', source: 'user' }),
    event('assistant.message', { content: 'hm', phase: 'thinking' }),
    event('assistant.message', { content: '', toolRequests: [{ name: 'bash' }] }),
    event('assistant.message', { content: 'Done.', phase: 'response' }),
  )
  t.deepEqual(
    turns.map(({ text }) => text),
    ['run the tests', 'and then?', 'Done.'],
  )
})
