import { setTimeout as sleep } from 'node:timers/promises'
import { progressText, type StatusReply } from '../../cli/operations/status.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import { startProgressBar } from '../../cli/terminal/progress-bar.js'

const pollMs = 200

export default class EmbeddingPull extends DaemonCommand {
  static override summary = 'Download the sentence model that the settings name.'
  static override description =
    'Set embedding.model to a model of the hub first. The daemon downloads in the background: Ctrl-C only ' +
    'hides the progress. Does nothing if the model is already available, as that of the package is.'
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

/** Returns why the bundled model is still in use. */
function staticReason(error: string | undefined): string {
  return error ?? 'embedding.provider selects the bundled model, which needs no download'
}

function fractionOf({ loadedBytes, totalBytes }: { loadedBytes: number; totalBytes: number | null }) {
  return totalBytes ? loadedBytes / totalBytes : undefined
}

function noModel(message: string, nextSteps: string[]): CliError {
  return new CliError(message, {
    code: 'model_unavailable',
    exit: 'failure',
    nextSteps: [...nextSteps, 'memory embedding use PATH   uses a model folder you have'],
  })
}
