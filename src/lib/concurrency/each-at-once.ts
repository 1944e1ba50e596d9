/**
 * Runs `work` on all items, `atOnce` of them concurrently. The first rejection stops it, and is rethrown once
 * no item is running any more.
 */
export async function eachAtOnce<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items].reverse()
  const failures: unknown[] = []
  const worker = async (): Promise<void> => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop())
      try {
        await work(item)
      } catch (error) {
        rest.length = 0
        failures.push(error)
      }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failures.length > 0) throw failures[0]
}
