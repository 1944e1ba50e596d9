import { setTimeout as sleep } from 'node:timers/promises'
import { progressText, type StatusReply } from '../../cli/operations/status.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import { startProgressBar } from '../../cli/terminal/progress-bar.js'

const pollMs = 200

export default class EmbeddingPull extends DaemonCommand {
  static override summary =
    'Fetch a sentence model and show how it goes; it then takes the place of the model of this package.'
  static override description =
    'The daemon fetches in the background: Ctrl-C leaves the download running. Does nothing when the model is there.'
  static override examples = ['<%= config.bin %> embedding pull']

  async run(): Promise<StatusReply['embedding']> {
    await this.parse(EmbeddingPull)
    await this.call('POST /api/embedding/pull')
    const embedding = await this.waitForModel()
    if (embedding.state === 'off')
      throw noModel('no embedding provider is set', ['memory config set embedding.provider local'])
    if (embedding.provider === 'static')
      throw noModel(staticReason(embedding.error), ['memory embedding use local'])
    if (!embedding.available)
      throw noModel(embedding.error ?? `the model is ${embedding.state}`, ['memory daemon logs'])
    if (!this.jsonEnabled()) print(`${embedding.model} is ready`)
    return embedding
  }

  private async waitForModel(): Promise<StatusReply['embedding']> {
    const bar = startProgressBar()
    try {
      for (;;) {
        const { embedding } = await this.call('GET /api/status')
        if (embedding.state !== 'downloading' && embedding.state !== 'loading') return embedding
        if (embedding.progress)
          bar.update(
            `${embedding.progress.file} ${progressText(embedding.progress)}`,
            fractionOf(embedding.progress),
          )
        await sleep(pollMs)
      }
    } finally {
      bar.stop()
    }
  }
}

/** Why the model of this package is still in force. */
function staticReason(error: string | undefined): string {
  return (
    error ?? 'the settings name the model of this package, which needs nothing fetched (embedding.provider)'
  )
}

function fractionOf({ loadedBytes, totalBytes }: { loadedBytes: number; totalBytes: number | null }) {
  return totalBytes ? loadedBytes / totalBytes : undefined
}

function noModel(message: string, nextSteps: string[]): CliError {
  return new CliError(message, {
    code: 'model_unavailable',
    exit: 'failure',
    nextSteps: [...nextSteps, 'memory embedding use PATH   takes a model folder that you have'],
  })
}
