import { colorsFor } from './output.js'

export interface Spinner {
  /** Changes what it says. */
  say(text: string): void
  /** Clears the line; safe to call twice. */
  stop(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const quietMs = 300
const frameMs = 80

/**
 * Says on stderr what is being waited for, only on a terminal and only once it has taken 300 ms: fast commands
 * must not flicker. Never keeps the process alive.
 */
export function startSpinner(text: string, stream: NodeJS.WriteStream = process.stderr): Spinner {
  if (!stream.isTTY) return { say: () => {}, stop: () => {} }
  const colors = colorsFor(stream)
  const state = { text, frame: 0, shown: false, interval: undefined as NodeJS.Timeout | undefined }
  const draw = () => {
    state.shown = true
    stream.write(`\r\u001b[K${colors.cyan(frames[state.frame++ % frames.length]!)} ${state.text}`)
  }
  const delay = setTimeout(() => {
    draw()
    state.interval = setInterval(draw, frameMs).unref()
  }, quietMs).unref()
  return {
    say: next => {
      state.text = next
    },
    stop: () => {
      clearTimeout(delay)
      clearInterval(state.interval)
      if (state.shown) stream.write('\r\u001b[K')
      state.shown = false
    },
  }
}
