import { CaptureCommand, type CaptureState } from '../../cli/sessions/capture.js'

export default class CaptureOn extends CaptureCommand {
  static override summary = 'Capture the sessions of a project again.'
  static override examples = [
    '<%= config.bin %> capture on',
    '<%= config.bin %> capture on --project client-x',
  ]
  static override flags = CaptureCommand.flags

  async run(): Promise<CaptureState> {
    const { flags } = await this.parse(CaptureOn)
    return this.turn(true, flags.project)
  }
}
