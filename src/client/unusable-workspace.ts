import { folderFault } from '../lib/files/folder-fault.js'
import type { WorkspacePaths } from '../lib/workspace/paths.js'
import { ClientError } from './client-error.js'

/** What a command says whose workspace is no folder, or somebody else's; undefined for one that can be used. */
export function unusableWorkspace(
  { root }: Pick<WorkspacePaths, 'root'>,
  cause?: unknown,
): ClientError | undefined {
  const fault = folderFault(root)
  if (!fault) return undefined
  return new ClientError(`the workspace can't be used: ${fault.why}`, {
    code: 'invalid_environment',
    nextSteps: [fault.fix],
    cause,
  })
}
