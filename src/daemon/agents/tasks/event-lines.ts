/** The longest event that is read; what is longer is output of a tool. */
const maxLength = 2 * 1024 * 1024
/** Events that say how a run stands; the others, most of the output, are not parsed. */
const telling = /"type"\s*:\s*"(?:result|error|turn\.(?:completed|failed)|step_finish)"/u

/** Finds the events in an output of lines of JSON, as it comes. */
export class EventLines {
  #line = ''
  #tooLong = false

  constructor(readonly onEvent: (event: Readonly<Record<string, unknown>>) => void) {}

  add(text: string): void {
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.#take(text.slice(from, at))
      this.end()
      from = at + 1
    }
    this.#take(text.slice(from))
  }

  /** The last line may have no end. */
  end(): void {
    const line = this.#tooLong ? '' : this.#line
    this.#line = ''
    this.#tooLong = false
    if (!telling.test(line)) return
    const event = objectIn(line)
    if (event) this.onEvent(event)
  }

  #take(text: string): void {
    this.#tooLong ||= this.#line.length + text.length > maxLength
    this.#line = this.#tooLong ? '' : this.#line + text
  }
}

function objectIn(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
