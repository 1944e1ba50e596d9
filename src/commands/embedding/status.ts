import { progressText, type StatusReply } from '../../cli/operations/status.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, formatFields, print } from '../../cli/terminal/output.js'
import { packagedModel } from '../../lib/workspace/model-folder.js'

export default class EmbeddingStatus extends DaemonCommand {
  static override summary = 'Show the embedding model and whether it is available.'
  static override examples = ['<%= config.bin %> embedding status']

  async run(): Promise<StatusReply['embedding']> {
    await this.parse(EmbeddingStatus)
    const { embedding } = await this.call('GET /api/status')
    if (!this.jsonEnabled()) print(embeddingFields(embedding))
    return embedding
  }
}

const runtimeText = {
  native: 'native',
  wasm: 'WebAssembly',
} as const

function isPackaged({ provider, model }: StatusReply['embedding']): boolean {
  return provider === 'static' || (provider === 'local' && model === packagedModel)
}

function embeddingFields(embedding: StatusReply['embedding']): string {
  const { state, provider, model, dimensions, withoutVector, error, progress, runtime } = embedding
  const colors = colorsFor()
  return formatFields(
    [
      ['state', embedding.available ? colors.green(state) : colors.yellow(state)],
      ['provider', provider],
      ['model', isPackaged(embedding) ? `${model} (of this package; English)` : model],
      ['dimensions', dimensions === null ? 'unknown' : String(dimensions)],
      ...(runtime ? [['runtime', runtimeText[runtime]] as const] : []),
      ['without vector', `${withoutVector} memories`],
      ...(progress ? [['progress', progressText(progress)] as const] : []),
      ...(error ? [['error', colors.red(error)] as const] : []),
      ...(state === 'missing' ? [['next', 'memory embedding pull'] as const] : []),
    ],
    colors,
  )
}
