import { join } from 'node:path'

const folder = join(import.meta.dirname, '..', 'fixtures', 'transcripts')

/** A transcript that an agent itself has written: `npm run harnesses -- --record`, see CONTRIBUTING.md. */
export function recordedSession(name: string): string {
  return join(folder, name)
}

/** First line of each message in the recording: three resumes, two tool calls and a compaction. */
export const recordedMessages = [
  'user: Tell me what you know about the heron service.',
  'assistant: This is what I found about the service.',
  'user: Please remember how many messages the heron queue holds.',
  'assistant: This is what I found about the queue.',
  'user: Look up where the heron service comes from.',
  'assistant: This is what I found about the deployment.',
  'user: Let us go on with the heron queue.',
  'assistant: This is what I found about the rest.',
]
