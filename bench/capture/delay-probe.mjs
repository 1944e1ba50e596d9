import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

// Loaded into a daemon that is measured: tells how long its event loop was held, for as long as it runs.
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
// What the start of the daemon took does not count.
process.on('SIGUSR2', () => delay.reset())
