import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { ClientError } from '../client/client-error.js'

/** What the protocol says when a resource is missing. */
export const resourceNotFound = -32002

/** Resources and prompts have no error results as tools do. @throws McpError for whatever `work` throws. */
export async function asProtocolErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof McpError) throw error
    const missing = error instanceof ClientError && error.status === 404
    throw new McpError(missing ? resourceNotFound : ErrorCode.InternalError, (error as Error).message)
  }
}
