import { workspacePaths } from '../../../lib/paths.js'
import { writeSetting } from '../settings-access.js'

/** Switches the recording of events on or off in agent.yaml. @returns the file. */
export function recordEvents(workspace: string | undefined, enabled: boolean): string {
  const { settings: file } = workspacePaths(workspace)
  writeSetting(file, 'memory.pipelineV2.telemetryEnabled', String(enabled))
  return file
}
