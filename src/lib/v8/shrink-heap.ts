import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Shrinks the heap, above all the young generation, which a start grows to twice 16 MiB, by V8's response to
 * memory pressure. Only the inspector reaches it. Blocks the event loop for two full collections.
 * @returns false in a Node built without an inspector.
 */
export async function shrinkHeap(): Promise<boolean> {
  try {
    const { Session } = process.getBuiltinModule('node:inspector/promises')
    const session = new Session()
    session.connect()
    await session.post('HeapProfiler.collectGarbage')
    // Disconnecting inside the response would wait for ever.
    await nextTurn()
    session.disconnect()
    return true
  } catch {
    return false
  }
}
