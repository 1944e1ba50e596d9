import { stat } from 'node:fs/promises'
import { CliError } from '../../../cli/shell/cli-error.js'
import ConnectorsAdd from '../../connectors/add.js'
import ConnectorsSync from '../../connectors/sync.js'

export default class SourcesAddFolder extends ConnectorsAdd {
  static override summary = 'Add a folder of documents as a source, read it, and keep it in sync.'
  static override description =
    'Files are read and never modified. memory sources list, show, sync and remove manage it like any source.'
  static override examples = [
    '<%= config.bin %> sources add folder ~/handbook',
    '<%= config.bin %> sources add folder docs --pattern "**/*.md" --pattern "**/*.pdf" --ignore drafts',
  ]

  /** @throws CliError `invalid_input`, since the folder is read at once. */
  protected override async checkFolder(path: string): Promise<void> {
    const stats = await stat(path).catch(() => undefined)
    if (stats?.isDirectory()) return
    throw new CliError(`${path}: ${stats ? 'it is a file, not a folder' : 'the folder does not exist'}`, {
      code: 'invalid_input',
      exit: 'usage',
      nextSteps: [stats ? `memory import ${path}   reads the file once` : 'give an existing folder'],
    })
  }

  protected override async afterAdd(id: string): Promise<void> {
    await this.runOther(ConnectorsSync, [id, '--wait'])
  }
}
