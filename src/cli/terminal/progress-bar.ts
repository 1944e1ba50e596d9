import { colorsFor, outputWidth } from './output.js'
import { clipText } from './text.js'

export interface ProgressBar {
  /** @param fraction 0 to 1; undefined if the total is unknown. */
  update(text: string, fraction?: number): void
  stop(): void
}

const barWidth = 24
const linesEveryMs = 5_000

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
