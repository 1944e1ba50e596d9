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

/**
 * Aborts by Ctrl-C, or once nobody reads stdout any more (`| head -1`): what follows something ends then. A reader who
 * left is known a turn of the event loop after the line that he did not get.
 */
export function whileRead(): AbortSignal {
  const life = new AbortController()
  const leave = () => life.abort()
  process.once('SIGINT', leave)
  process.stdout.once('error', leave)
  return life.signal
}
