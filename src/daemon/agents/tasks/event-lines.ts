/** The longest event that is read; what is longer is output of a tool. */
const maxLength = 2 * 1024 * 1024
/** Events that say how a run stands; the others, most of the output, are not parsed. */
const telling = /"type"\s*:\s*"(?:result|error|turn\.(?:completed|failed)|step_finish)"/u
const event = /^\s*\{.*"type"\s*:/u

/** Finds the events in an output of lines of JSON, as it comes. */
export class EventLines {
  #line = ''
  #tooLong = false
  #seen = { events: false, text: false }

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
    this.#seen.events ||= this.#tooLong || event.test(line)
    this.#seen.text ||= line.trim() !== ''
    this.#line = ''
    this.#tooLong = false
    if (!telling.test(line)) return
    const told = objectIn(line)
    if (told) this.onEvent(told)
  }

  /** Whether it was text, and no event among it: whoever writes so tells nothing by events. */
  get isText(): boolean {
    return this.#seen.text && !this.#seen.events
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
