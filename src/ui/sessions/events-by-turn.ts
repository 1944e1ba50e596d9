interface Timed {
  position: number
  role: string
  at: string | null
}

interface HappenedEvent {
  kind: string
  at: string
  payload: { surface?: string | undefined }
}

/** Events of a session by the turn to which they belong, and those before the first turn. */
interface EventsByTurn<E> {
  start: readonly E[]
  of: ReadonlyMap<number, readonly E[]>
}

/** A hook reports a prompt shortly before or after the harness writes it to its log. */
const toleranceMs = 2000

/**
 * Puts events beside turns by their times: context beside the prompt that it was given with, and a save
 * beside the turn before it. Without times all events are at the start.
 */
export function eventsByTurn<E extends HappenedEvent>(
  turns: readonly Timed[],
  events: readonly E[],
): EventsByTurn<E> {
  const timed = turns.flatMap(turn => (turn.at === null ? [] : [{ ...turn, ms: Date.parse(turn.at) }]))
  const start: E[] = []
  const of = new Map<number, E[]>()
  for (const event of events) {
    const isStart = event.payload.surface === 'start'
    const ms = Date.parse(event.at) + (isStart ? 0 : toleranceMs)
    const isSave = event.kind === 'assertion.created' || event.kind === 'artifact.written'
    const turn = timed.findLast(one => one.ms <= ms && (isSave || one.role === 'user'))
    if (turn) of.set(turn.position, [...(of.get(turn.position) ?? []), event])
    else start.push(event)
  }
  return { start, of }
}
