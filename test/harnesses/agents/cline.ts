import { existsSync, readdirSync } from 'node:fs'
import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'
import { eventually } from '../eventually.js'
import { textOfFile } from '../find-file.js'
import { inTerminal } from '../terminal.js'

const noEvent = 'it has no event for it'

/** Cline: `cline --json`, and its terminal to resume a session, which it does nowhere else. */
export const cline: CodingAgent = {
  name: 'cline',
  title: 'Cline',
  package: 'cline',
  binary: 'cline',
  importedAs: 'cline',
  takesContext: false,
  environment: () => ({ CLINE_NO_AUTO_UPDATE: '1' }),
  settings: ({ model }) => ({
    '.cline/data/settings/providers.json': JSON.stringify({
      version: 1,
      lastUsedProvider: provider,
      providers: {
        [provider]: {
          settings: { provider, apiKey: 'of-nobody', baseUrl: `${model}/v1`, model: 'heron-1' },
          updatedAt: '2026-11-01T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    }),
  }),
  cannot: {
    end: noEvent,
    compaction: noEvent,
    quit: noEvent,
    acp: 'over ACP it asks for a login, also with a key (3.0.65)',
  },
  turn: (run, prompt, session) => (session === undefined ? ask(run, prompt) : goOn(run, prompt, session)),
  acp: ['--acp'],
  terminal: (_run, session) => ({
    args: ['--id', session, ...model],
    ready: /Ask anything/u,
    compact: '/compact',
    compacted: /Context compacted/u,
    quit: '/quit',
  }),
  transcriptEnding: 'json',
  transcript: async ({ home }, session) =>
    textOfFile(home.path('.cline', 'data', 'sessions'), `${session}.messages.json`),
  async stop(run) {
    await run.home.run(run.program, ['hub', 'stop'], { env: cline.environment(run) })
  },
}

const provider = 'openai-compatible'
const model = ['-P', provider, '-m', 'heron-1']

async function ask(run: AgentRun, prompt: string): Promise<TurnResult> {
  const { stdout, stderr, code } = await run.home.run(run.program, ['--json', ...model, prompt], {
    env: cline.environment(run),
  })
  const output = `${stdout}\n${stderr}`
  const id = newestSession(run)
  if (code !== 0 || id === undefined) throw new Error(`cline ended with ${code}: ${output.slice(-3000)}`)
  return { session: id, output }
}

/** Its output has no id of the session; ids begin with the time. */
function newestSession({ home }: AgentRun): string | undefined {
  const folder = home.path('.cline', 'data', 'sessions')
  return existsSync(folder) ? readdirSync(folder).sort().at(-1) : undefined
}

async function goOn(run: AgentRun, prompt: string, session: string): Promise<TurnResult> {
  await inTerminal({ ...run, agent: cline, session }, async terminal => {
    await terminal.enter(prompt)
    const isAnswered = (text: string) => answered(text, prompt)
    const text = await eventually(async () => (await cline.transcript(run, session)) ?? '{}', isAnswered, 120)
    if (!isAnswered(text)) throw new Error(`cline did not answer: ${text.slice(-3000)}`)
    await terminal.enter('/quit')
    await terminal.ended()
  })
  return { session, output: '' }
}

/** True when an answer without a call follows the prompt. */
function answered(text: string, prompt: string): boolean {
  const { messages = [] } = JSON.parse(text) as { messages?: { role: string; content: unknown }[] }
  const last = messages.at(-1)
  return (
    last?.role === 'assistant' &&
    !JSON.stringify(last.content).includes('"tool_use"') &&
    messages.some(({ role, content }) => role === 'user' && JSON.stringify(content).includes(prompt))
  )
}
