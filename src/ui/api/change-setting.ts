import { call } from './call.js'

/** Sets one key of agent.yaml, whose other lines and comments stay. @param value as YAML */
export async function changeSetting(key: string, value: string): Promise<void> {
  const { text, version } = await call('GET /api/settings')
  await call('POST /api/settings', { body: { text, version, values: { [key]: value } } })
}
