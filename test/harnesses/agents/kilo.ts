import type { CodingAgent } from '../agent.js'
import { asOpencode } from './opencode.js'

/** Kilo Code: `kilo run`, and its terminal for a compaction. */
export const kilo: CodingAgent = {
  name: 'kilo',
  title: 'Kilo Code',
  // Its main package is a wrapper that only finds the program of the platform.
  package: `@kilocode/cli-${process.platform}-${process.arch}`,
  binary: 'kilo',
  folder: 'bin',
  importedAs: 'kilo',
  environment: () => ({
    KILO_DISABLE_AUTOUPDATE: '1',
    KILO_DISABLE_MODELS_FETCH: '1',
    KILO_DISABLE_LSP_DOWNLOAD: '1',
    KILO_DISABLE_SHARE: '1',
    KILO_TELEMETRY_LEVEL: 'off',
  }),
  settings: ({ model }) => ({
    '.config/kilo/kilo.jsonc': `{
    // chosen by hand
    "model": "heron/heron-1",
    "small_model": "heron/heron-1",
    "autoupdate":   false,
    "share": "disabled",
    "provider": {
        "heron": {
            "npm": "@ai-sdk/openai-compatible",
            "options": { "baseURL": "${model}/v1", "apiKey": "of-nobody" },
            "models": { "heron-1": { "limit": { "context": 100000, "output": 10000 } } }
        }
    }
}
`,
  }),
  ...asOpencode(() => kilo),
}
