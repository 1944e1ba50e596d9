/** Number of event loop turns left for other work while `work` runs. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  const turns = { count: 0, isOver: false }
  const count = (): void => {
    turns.count++
    if (!turns.isOver) setImmediate(count)
  }
  setImmediate(count)
  await work()
  turns.isOver = true
  return turns.count
}
