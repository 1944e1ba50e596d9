import test from 'ava'
import { readTranscript } from '../../../../../../src/daemon/sessions/transcripts/readers/read-transcript.js'
import { stringSlices } from '../../../../../../src/daemon/sessions/transcripts/readers/text-slices.js'
import type { TranscriptMessage } from '../../../../../../src/daemon/sessions/transcripts/transcript-message.js'

const at = '2026-11-22T14:38:58.672Z'
const start = {
  sessionId: '6afa49c0-ffa8-416f-af5d-56b26a969d2d',
  version: 1,
  producer: 'copilot-agent',
  context: { cwd: '/work/api' },
}

/** Returns an event in the format of Copilot CLI 1.0.102. */
const event = (type: string, data: object, fields: object = {}) => ({
  type,
  data,
  id: 'e-1',
  timestamp: at,
  parentId: null,
  ...fields,
})

async function readEvents(...events: object[]): Promise<TranscriptMessage[]> {
  const lines = [event('session.start', start), ...events].map(one => JSON.stringify(one)).join('\n')
  const turns: TranscriptMessage[] = []
  for await (const turn of readTranscript(stringSlices(lines))) turns.push(turn)
  return turns
}

test('the conversation is what user and agent wrote, without additions by hooks', async t => {
  const asked = {
    content: 'why does the build fail',
    transformedContent: `<current_datetime>${at}</current_datetime>\n\nwhy does the build fail\n\n<system_reminder>\nknown\n</system_reminder>`,
    delivery: 'idle',
  }
  const turns = await readEvents(
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

test('sub-agents are not part of the conversation', async t => {
  const agentId = '27fd97c2-d21a-46a4-82d8-973a984e8a69'
  const turns = await readEvents(
    event('user.message', { content: 'look around' }),
    event('user.message', { content: 'List the files.', source: 'agent-6afa49c0' }, { agentId }),
    event('assistant.message', { content: 'There are three.' }, { agentId }),
  )
  t.deepEqual(
    turns.map(({ text }) => text),
    ['look around'],
  )
})

test('texts by the program and reasoning are not part of the conversation', async t => {
  const turns = await readEvents(
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
