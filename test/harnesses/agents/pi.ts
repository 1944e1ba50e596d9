import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'
import { textOfFile } from '../find-file.js'

/** pi: `pi -p`, and its terminal for a compaction. */
export const pi: CodingAgent = {
  name: 'pi',
  title: 'pi',
  package: '@earendil-works/pi-coding-agent',
  binary: 'pi',
  node: 24,
  importedAs: 'pi',
  environment: ({ path }) => ({ PATH: path, PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
  settings: ({ model }) => ({
    '.pi/agent/models.json': `{
    "providers": {
        "heron": {
            "baseUrl": "${model}/v1", "apiKey": "of-nobody", "api": "openai-completions",
            "models": [ { "id": "heron-1", "contextWindow": 100000, "maxTokens": 8192 } ]
        }
    }
}
`,
    '.pi/agent/settings.json':
      '{\n    "defaultProvider": "heron",   "defaultModel": "heron-1",\n    "compaction": { "keepRecentTokens": 50 }\n}\n',
  }),
  turn: (run, prompt, session) => ask(run, prompt, session === undefined ? [] : ['--session', session]),
  fork: (run, prompt, session) => ask(run, prompt, ['--fork', session]),
  terminal: (_run, session) => ({
    args: ['--session', session, '--approve'],
    ready: /heron-1/u,
    compact: '/compact',
    compacted: /[Cc]ompacted/u,
    quit: '/quit',
  }),
  transcriptEnding: 'jsonl',
  transcript: async ({ home }, session) =>
    textOfFile(home.path('.pi', 'agent', 'sessions'), `${session}.jsonl`),
}

async function ask(run: AgentRun, prompt: string, args: readonly string[]): Promise<TurnResult> {
  const words = ['--mode', 'json', '--approve', ...args, '-p', prompt]
  const { stdout, stderr, code } = await run.home.run(run.program, words, { env: pi.environment(run) })
  const output = `${stdout}\n${stderr}`
  const id = /"type":"session"[^\n]*?"id":"([^"]+)"/u.exec(stdout)?.[1]
  if (code !== 0 || id === undefined) throw new Error(`pi ended with ${code}: ${output.slice(-3000)}`)
  return { session: id, output }
}
