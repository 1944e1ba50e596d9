import test from 'ava'
import { collectNewest } from '../../../../../../src/daemon/sessions/capture/clean.js'
import { readTranscript } from '../../../../../../src/daemon/sessions/transcripts/readers/read-transcript.js'
import { readFileSlices } from '../../../../../../src/daemon/sessions/transcripts/readers/text-slices.js'
import { recordedMessages, recordedSession } from '../../../../../helpers/recorded-session.js'

for (const name of [
  'claude-code-2.1.330.jsonl',
  'codex-0.169.0.jsonl',
  'copilot-1.0.102.jsonl',
  'gemini-0.61.0.jsonl',
])
  test(`a recorded session is read with each turn once: ${name}`, async t => {
    const said = await collectNewest(readTranscript(readFileSlices(recordedSession(name))))
    t.deepEqual(
      said.map(({ role, text }) => `${role}: ${text.split('\n')[0]}`),
      recordedMessages,
    )
  })
