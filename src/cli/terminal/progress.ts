import { colorsFor, outputWidth } from './output.js'
import { clipText } from './text.js'

export interface ProgressBar {
  /** @param fraction 0 to 1; undefined if the total is unknown. */
  update(text: string, fraction?: number): void
  stop(): void
}

const barWidth = 24
const linesEveryMs = 5_000

export interface Spinner {
  /** Changes the text. */
  say(text: string): void
  /** Clears the line; safe to call twice. */
  stop(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const quietMs = 300
const frameMs = 80

/**
 * Shows progress on stderr: a redrawn bar on a terminal, elsewhere a line every few seconds and the last one.
 */
export function startProgressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  return stream.isTTY ? redrawnBar(stream) : printedLines(stream)
}

function redrawnBar(stream: NodeJS.WriteStream): ProgressBar {
  const colors = colorsFor(stream)
  return {
    update: (text, fraction) => {
      const filled = Math.round(Math.min(1, fraction ?? 0) * barWidth)
      const bar = `${colors.green('█'.repeat(filled))}${colors.dim('░'.repeat(barWidth - filled))}`
      // One column stays free, because some terminals wrap after the last one.
      stream.write(`\r\u001b[K${bar} ${clipText(text, outputWidth(stream) - barWidth - 2)}`)
    },
    stop: () => {
      stream.write('\r\u001b[K')
    },
  }
}

/** Prints nothing for short operations; longer ones end with their last text. */
function printedLines(stream: NodeJS.WriteStream): ProgressBar {
  const last = { at: performance.now(), written: '', text: '' }
  const write = (): void => {
    Object.assign(last, { at: performance.now(), written: last.text })
    stream.write(`${last.text}\n`)
  }
  return {
    update: text => {
      last.text = text
      if (text !== last.written && performance.now() - last.at >= linesEveryMs) write()
    },
    stop: () => {
      if (last.written !== '' && last.text !== last.written) write()
    },
  }
}

/**
 * Shows on stderr what the command waits for. It appears only on a terminal and after 300 ms, so that fast
 * commands do not flicker, and does not keep the process alive.
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
 * Returns a signal that aborts on Ctrl-C, or once stdout is closed (`| head -1`), to end a followed output. A
 * closed pipe is noticed one turn of the event loop after the first lost line.
 */
export function signalOfReader(): AbortSignal {
  const life = new AbortController()
  const leave = () => life.abort()
  process.once('SIGINT', leave)
  process.stdout.once('error', leave)
  return life.signal
}
