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

  protected override async afterAdd(id: string): Promise<void> {
    await this.runOther(ConnectorsSync, [id, '--wait'])
  }
}
