import type { CodingAgent } from '../agent.js'
import { textOfFile } from '../find-file.js'

/** Copilot CLI: `copilot -p`. */
export const copilot: CodingAgent = {
  name: 'copilot',
  title: 'Copilot CLI',
  package: '@github/copilot',
  binary: 'copilot',
  importedAs: 'copilot',
  environment: ({ model }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
    COPILOT_MODEL: 'gpt-4.1',
  }),
  settings: ({ home }) => ({
    '.copilot/config.json': `{\n    "theme":   "dark",\n    "trusted_folders": ["${home.project}"]\n}\n`,
  }),
  cannot: {
    acp: 'its session over ACP offers no servers of the client (1.0.102)',
    compaction: 'it has no event after a compaction',
    afterCompaction: 'it has no event after a compaction',
  },
  async turn(run, prompt, session) {
    const resumed = session === undefined ? [] : ['--resume', session]
    const words = ['-p', prompt, '--allow-tool', 'memory', '--output-format', 'json', ...resumed]
    const { stdout, stderr, code } = await run.home.run(run.program, words, { env: copilot.environment(run) })
    const output = `${stdout}\n${stderr}`
    const id = /"sessionId":"([^"]+)"/u.exec(stdout)?.[1]
    if (code !== 0 || id === undefined) throw new Error(`copilot ended with ${code}: ${output}`)
    return { session: id, output }
  },
  hookFile: '.copilot/hooks/memory-service.json',
  plugin: {
    install: folder => [
      ['plugin', 'marketplace', 'add', folder],
      ['plugin', 'install', 'memory-service@memory-service'],
    ],
    uninstall: [
      ['plugin', 'uninstall', 'memory-service@memory-service'],
      ['plugin', 'marketplace', 'remove', 'memory-service'],
    ],
    folder: '.copilot',
  },
  acp: ['--acp'],
  terminal: (_run, session) => ({
    args: ['--resume', session],
    ready: /commands · /u,
    compact: '/compact',
    compacted: /Compaction completed/u,
    quit: '/exit',
  }),
  transcriptEnding: 'jsonl',
  transcript: async ({ home }, session) =>
    textOfFile(home.path('.copilot', 'session-state'), `${session}/events.jsonl`),
}
