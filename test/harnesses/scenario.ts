import type { CodingAgent } from './agent.js'
import type { ModelAnswer, Turn } from './model/model-server.js'

/** A memory from before the first session. */
export const seeded = 'The heron service is deployed from Lisbon every Tuesday.'
/** A rule of the repository, from before the first session. */
export const rule = 'Never deploy heron on a Friday.'
export const stored = 'The heron queue holds at most 512 messages.'
/** The model's summary of a session; Grok Build refuses a much shorter one. */
export const summary = [
  'The user sized the heron queue and asked where the heron service is deployed from; both are answered.',
  'The size of the queue was saved as a memory, together with a hint on what it limits.',
  'The place of the deployment was found by a search in the memories of this project.',
  'For each of the questions the twelve parts of heron were looked at, one after the other.',
  'No file was changed, no command was run, and nothing was deployed in this session.',
  'What is left to do is to go on with the heron queue, as soon as the user says how.',
].join(' ')

/** Long enough for a checkpoint, and different for each turn. */
function answer(topic: string): string {
  const steps = Array.from(
    { length: 12 },
    (_, n) => `Step ${n + 1} for ${topic}: look at part ${n + 1} of heron.`,
  )
  return [`This is what I found about ${topic}.`, ...steps].join('\n')
}

export const turns = {
  first: {
    prompt: 'Tell me what you know about the heron service.',
    answers: [{ say: answer('the service') }],
  },
  store: {
    prompt: 'Please remember how many messages the heron queue holds.',
    answers: [
      { call: 'memory_store', input: { content: stored, hints: ['limit of the heron queue'] } },
      { say: answer('the queue') },
    ],
  },
  search: {
    prompt: 'Look up where the heron service comes from.',
    answers: [
      { call: 'memory_search', input: { query: 'where is the heron service deployed from' } },
      { say: answer('the deployment') },
    ],
  },
  compacted: {
    prompt: 'Let us go on with the heron queue.',
    answers: [{ say: answer('the rest') }],
  },
} satisfies Record<string, Turn>

/** Said before a compaction to an agent that has nothing to compact until then. */
export const opening = turnAbout('the opening')

/** Turns of the whole session of an agent, in order. */
export function wholeSession({
  compactsAfterPrompt,
}: Pick<CodingAgent, 'compactsAfterPrompt'>): readonly Turn[] {
  const { first, store, search, compacted } = turns
  return [first, store, search, ...(compactsAfterPrompt ? [opening] : []), compacted]
}

/** A prompt of a task: quotes, a second line, and a shell expression that must not be evaluated. */
export const taskTurn: Turn = {
  prompt: 'Say "done" when heron is tidy; $(exit 3)\nand nothing else.',
  answers: [{ say: 'done' }],
}

/** A turn with one answer, which is in no other turn. */
export function turnAbout(topic: string): Turn {
  return { prompt: `Tell me about ${topic} of heron.`, answers: [{ say: answer(topic) }] }
}

/** The prompt of a sub-agent. */
export const helperPrompt = 'Count the herons in this folder and report the sum.'

/** A turn in which the model starts a sub-agent by these calls. */
export function helperTurn(calls: readonly ModelAnswer[]): Turn {
  return { prompt: 'Let somebody else do the sum.', answers: [...calls, { say: answer('the sum') }] }
}

/** The text of a custom command, as the model receives it. */
export const shipTurn: Turn = {
  prompt: 'Ship the heron service carefully to staging',
  answers: [{ say: answer('the shipping') }],
}

/** Shown on the screen when a turn in the terminal has been answered. */
export const lastWords = { opening: /Step 12 for the opening/u, compacted: /Step 12 for the rest/u }

/** A conversation as `memory sessions transcript` prints it. */
export function conversationOf(said: readonly Turn[]): string[] {
  return said.flatMap(({ prompt, answers }) => [
    `user: ${prompt}`,
    ...answers.flatMap(each => ('say' in each ? [`assistant: ${each.say}`] : [])),
  ])
}
