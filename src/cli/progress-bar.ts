import { colorsFor } from './output.js'

export interface ProgressBar {
  /** @param fraction 0..1, undefined when the total is unknown. */
  update(text: string, fraction?: number): void
  stop(): void
}

const barWidth = 24
const linesEveryMs = 5_000

/** Progress on stderr: a bar that redraws on a terminal, one line every few seconds elsewhere. */
export function startProgressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  return stream.isTTY ? redrawn(stream) : written(stream)
}

function redrawn(stream: NodeJS.WriteStream): ProgressBar {
  const colors = colorsFor(stream)
  return {
    update: (text, fraction) => {
      const filled = Math.round(Math.min(1, fraction ?? 0) * barWidth)
      const bar = `${colors.green('█'.repeat(filled))}${colors.dim('░'.repeat(barWidth - filled))}`
      stream.write(`\r\u001b[K${bar} ${text}`)
    },
    stop: () => {
      stream.write('\r\u001b[K')
    },
  }
}

function written(stream: NodeJS.WriteStream): ProgressBar {
  const last = { at: Number.NEGATIVE_INFINITY, text: '' }
  return {
    update: text => {
      if (text === last.text || performance.now() - last.at < linesEveryMs) return
      Object.assign(last, { at: performance.now(), text })
      stream.write(`${text}\n`)
    },
    stop: () => {},
  }
}
