import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { ClientError } from '../client/http/client-error.js'
import { resourceNotFound } from './modern/envelope.js'

/**
 * Converts errors to protocol errors, because resources and prompts have no error results. @throws McpError
 * for any error of `work`.
 */
export async function asProtocolErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof McpError) throw error
    const missing = error instanceof ClientError && error.status === 404
    throw new McpError(missing ? resourceNotFound : ErrorCode.InternalError, (error as Error).message)
  }
}
