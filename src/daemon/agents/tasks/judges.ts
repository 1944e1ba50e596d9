/** What the events of an agent said so far: whether its work succeeded, and why not. */
export interface Verdict {
  ok?: boolean
  error?: string | undefined
}

/** Takes one event of an agent into account; events come in their order. */
export type Judge = (verdict: Verdict, event: Readonly<Record<string, unknown>>) => Verdict

/** Its last event is a result, which may call an empty run or a fault of the API a success. */
export const judgeClaude: Judge = (verdict, { type, subtype, is_error, num_turns, result, errors }) => {
  if (type !== 'result') return verdict
  const ok = is_error === false && subtype === 'success' && Number(num_turns) > 0
  return ok
    ? { ok }
    : { ok, error: textOf(result) ?? textOf(errors) ?? textOf(subtype) ?? 'no turn was made' }
}

/** An error may be followed by another try; a turn has an end of its own. */
export const judgeCodex: Judge = (verdict, { type, error, message }) => {
  if (type === 'turn.completed') return { ok: true }
  if (type === 'turn.failed') return { ok: false, error: textOf(error) ?? verdict.error ?? 'the turn failed' }
  if (type === 'error') return { ...verdict, error: textOf(message) ?? 'it told an error without words' }
  return verdict
}

/** It tells errors and the ends of steps, and nothing at all where it refused. */
export const judgeOpenCode: Judge = (verdict, { type, error }) => {
  if (type === 'error') return { ok: false, error: textOf(error) ?? 'it told an error without words' }
  return type === 'step_finish' && verdict.ok !== false ? { ok: true } : verdict
}

/** The words of a fault, wherever an agent has put them. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value)) return value.map(textOf).find(text => text !== undefined)
  if (typeof value !== 'object' || value === null) return undefined
  const { message, data, name } = value as Record<string, unknown>
  return textOf(message) ?? textOf(data) ?? textOf(name)
}
