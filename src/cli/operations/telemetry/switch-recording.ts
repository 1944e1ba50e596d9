import { workspacePaths } from '../../../lib/workspace/paths.js'
import { print } from '../../terminal/output.js'
import { writeSetting } from '../config.js'

/** Switches the recording of events on or off in agent.yaml, and returns the file. */
export function switchRecording(
  workspace: string | undefined,
  { enabled, json }: { enabled: boolean; json: boolean },
): { enabled: boolean; file: string } {
  const { settings: file } = workspacePaths(workspace)
  writeSetting(file, 'memory.pipelineV2.telemetryEnabled', String(enabled))
  const state = enabled ? 'Telemetry is on; events stay on this machine' : 'Telemetry is off'
  if (!json) print(`${state}  (${file})`)
  return { enabled, file }
}
