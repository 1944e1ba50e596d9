import { CaptureCommand, type CaptureState, captureLines } from '../../cli/sessions/capture.js'
import { colorsFor, print } from '../../cli/terminal/output.js'

export default class CaptureStatus extends CaptureCommand {
  static override summary = 'Show if sessions of a project are captured, and by which rule.'
  static override examples = [
    '<%= config.bin %> capture status',
    '<%= config.bin %> capture status --project shop',
  ]
  static override flags = CaptureCommand.flags

  async run(): Promise<CaptureState> {
    const { flags } = await this.parse(CaptureStatus)
    const state = await this.state(flags.project)
    if (!this.jsonEnabled()) print(captureLines(state, colorsFor()))
    return state
  }
}
