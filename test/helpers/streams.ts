import type { Address } from '../../src/contract/api.js'
import type { TestDaemon } from './daemon.js'

/** Opens a stream and closes it. @param path for addresses with parameters or a query */
export async function askStream(
  { url }: Pick<TestDaemon, 'url'>,
  address: Address,
  asked: Set<string>,
  path = address.slice('GET '.length),
): Promise<void> {
  const stream = await fetch(`${url}${path}`)
  await stream.body?.cancel()
  asked.add(address)
}
