import type { CallOptions } from './call-options.js'

/** Who asks: the credential of the call or of the environment, and the agent. */
export function headersOf({
  agent,
  credential,
  headers,
}: Pick<CallOptions, 'agent' | 'credential' | 'headers'>): Record<string, string> {
  const key = credential?.() || process.env.SERVICE_API_KEY || process.env.SERVICE_TOKEN
  return {
    ...headers,
    ...(key && { authorization: `Bearer ${key}` }),
    ...(agent && { 'x-service-agent-id': agent }),
  }
}
