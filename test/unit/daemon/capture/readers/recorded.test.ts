import { join } from 'node:path'
import test from 'ava'
import { readTranscript } from '../../../../../src/daemon/capture/readers/read-transcript.js'
import { filePieces } from '../../../../../src/daemon/capture/readers/text-pieces.js'

const fixtures = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures', 'transcripts')

/** Written by the agents themselves, in a session with three resumes and a compaction: see CONTRIBUTING.md. */
for (const recorded of ['codex-0.169.0.jsonl', 'copilot-1.0.102.jsonl'])
  test(`what was said in a recorded session is read, each turn once: ${recorded}`, async t => {
    const said: string[][] = []
    for await (const { role, text } of readTranscript(filePieces(join(fixtures, recorded))))
      said.push([role, text.split('\n')[0] ?? ''])
    t.deepEqual(said, [
      ['user', 'Tell me what you know about the heron service.'],
      ['assistant', 'This is what I found about the service.'],
      ['user', 'Please remember how many messages the heron queue holds.'],
      ['assistant', 'This is what I found about the queue.'],
      ['user', 'Look up where the heron service comes from.'],
      ['assistant', 'This is what I found about the deployment.'],
      ['user', 'Let us go on with the heron queue.'],
      ['assistant', 'This is what I found about the rest.'],
    ])
  })
