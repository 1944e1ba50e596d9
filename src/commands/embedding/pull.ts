import { setTimeout as sleep } from 'node:timers/promises'
import { Args } from '@oclif/core'
import { writeSettings } from '../../cli/operations/config.js'
import { progressText, type StatusReply } from '../../cli/operations/status.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print } from '../../cli/terminal/output.js'
import { startProgressBar } from '../../cli/terminal/progress.js'
import { isHubModel } from '../../lib/workspace/model-folder.js'
import { workspacePaths } from '../../lib/workspace/paths.js'

const pollMs = 200
/** A running daemon applies a changed agent.yaml within this. */
const appliedMs = 15_000

/** Short names of models of the hub. */
const shortNames: Readonly<Record<string, string>> = { multilingual: 'Xenova/multilingual-e5-small' }

export default class EmbeddingPull extends DaemonCommand {
  static override summary = 'Download a sentence model, and use it.'
  static override description =
    'Without a name, the model of the settings. "multilingual" reads about 100 languages (118 MB, ' +
    'multilingual-e5-small); any other is named as on the hub, OWNER/NAME. The daemon downloads in the ' +
    'background: Ctrl-C only hides the progress. Then it makes new vectors, and uses the old ones until ' +
    'then. "memory embedding use local" returns to the model of the package.'
  static override examples = [
    '<%= config.bin %> embedding pull',
    '<%= config.bin %> embedding pull multilingual',
    '<%= config.bin %> embedding pull Xenova/gte-small',
  ]
  static override args = {
    model: Args.string({ description: 'multilingual, or OWNER/NAME of the hub.', ignoreStdin: true }),
  }

  async run(): Promise<StatusReply['embedding']> {
    const { model } = (await this.parse(EmbeddingPull)).args
    if (model !== undefined) await this.chooseModel(shortNames[model] ?? model)
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

  /** Writes the settings and waits for the daemon to use them. @throws CliError for another kind of name. */
  private async chooseModel(model: string): Promise<void> {
    if (!isHubModel(model)) {
      throw new CliError(`'${model}' is not a model of the hub`, {
        code: 'invalid_model',
        exit: 'usage',
        nextSteps: ['give OWNER/NAME, or: memory embedding pull multilingual'],
      })
    }
    const { settings } = workspacePaths(this.globals.workspace)
    writeSettings(settings, {
      'embedding.modelPath': null,
      'embedding.model': model,
      'embedding.provider': 'local',
    })
    const latest = Date.now() + appliedMs
    while (Date.now() < latest) {
      const { embedding } = await this.call('GET /api/status')
      if (embedding.model === model) return
      await sleep(pollMs)
    }
    throw new CliError('the daemon did not take over the changed embedding.model', {
      code: 'settings_not_applied',
      exit: 'failure',
      nextSteps: ['memory daemon restart'],
    })
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
