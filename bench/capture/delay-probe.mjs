import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

// Loaded into the measured daemon: writes its event loop delay to a file every second.
const file = process.env.BENCH_DELAY_FILE
const delay = monitorEventLoopDelay({ resolution: 2 })
delay.enable()
const write = () => {
  const ms = value => value / 1e6
  const figures = { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) }
  if (file) writeFileSync(file, JSON.stringify(figures))
}
setInterval(write, 1000).unref()
process.on('exit', write)
// Start-up is not part of the measurement.
process.on('SIGUSR2', () => delay.reset())
