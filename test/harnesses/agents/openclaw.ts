import { randomUUID } from 'node:crypto'
import type { AgentRun, CodingAgent, TurnResult } from '../agent.js'

/** OpenClaw: `openclaw agent --local`, and `openclaw chat` for a compaction. */
export const openclaw: CodingAgent = {
  name: 'openclaw',
  title: 'OpenClaw',
  package: 'openclaw',
  binary: 'openclaw',
  node: 24,
  importedAs: 'openclaw',
  environment: ({ path }) => ({ PATH: path, OPENCLAW_NO_AUTO_UPDATE: '1', NO_COLOR: '1' }),
  settings: ({ model, home }) => ({
    '.openclaw/openclaw.json': `{
  // chosen by hand
  "models": { "providers": { "heron": { "baseUrl": "${model}/v1", "apiKey": "of-nobody",
    "api": "openai-completions",
    "models": [{ "id": "heron-1", "name": "heron", "contextWindow": 128000, "maxTokens": 8192 }] } } },
  "tools": { "toolSearch": false },
  // its own memory has a tool called memory_search
  "plugins": { "slots": { "memory": "none" } },
  "agents": { "defaults": { "model": { "primary": "heron/heron-1" }, "skipBootstrap": true,
    "workspace": "${home.project}" } },
}
`,
  }),
  cannot: {
    end: 'without a gateway it ends without an event',
    quit: 'without a gateway it ends without an event',
    compaction: 'its event after a compaction has no summary',
  },
  turn: (run, prompt, session = randomUUID()) => ask(run, prompt, session),
  terminal: (_run, session) => ({
    args: ['chat', '--session', keyOf(session)],
    ready: /heron-1/u,
    compact: '/compact',
    compacted: /[Cc]ompacted|[Cc]ompaction (?:complete|done)/u,
    quit: '/exit',
  }),
  transcriptEnding: 'json',
  // Its transcript is a database.
  async transcript(run, session) {
    const words = ['sessions', 'export', '--session-key', keyOf(session), '--json']
    const { stdout, code } = await run.home.run(run.program, words, { env: openclaw.environment(run) })
    return code === 0 ? stdout : undefined
  },
}

/** The key under which it keeps a session that was named by its id. */
function keyOf(session: string): string {
  return `agent:main:explicit:${session}`
}

async function ask(run: AgentRun, prompt: string, session: string): Promise<TurnResult> {
  const words = ['agent', '--local', '--session-id', session, '--json', '--message', prompt]
  const { stdout, stderr, code } = await run.home.run(run.program, words, {
    env: openclaw.environment(run),
    timeoutMs: 600_000,
  })
  const output = `${stdout}\n${stderr}`
  if (code !== 0) throw new Error(`openclaw ended with ${code}: ${output.slice(-3000)}`)
  return { session, output }
}
