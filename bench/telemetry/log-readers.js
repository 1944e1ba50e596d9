import { connect } from 'node:net'

// A process with many log readers: half read, half never read. It reports when the readers are connected, and
// answers a message with their counts.
const [port, readers] = process.argv.slice(2).map(Number)
/** The daemon disconnects a reader that never reads; it reconnects after this time. */
const comeBackMs = 40_000
const counts = { entries: 0, dropped: 0 }
let following = 0
const silent = Array.from({ length: readers / 2 })

function open(onData) {
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('GET /api/logs/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n'),
  )
  socket.on('error', () => undefined)
  if (onData) socket.on('data', onData)
  else socket.pause()
  return socket
}

for (let reader = 0; reader < readers / 2; reader++) {
  let rest = ''
  open(chunk => {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue
      const [, type, count] = /^data: \{"type":"(\w+)"(?:,"count":(\d+))?/.exec(line) ?? []
      if (!type) counts.entries++
      else if (type === 'dropped') counts.dropped += Number(count)
      else if (++following === readers / 2) process.send('following')
    }
  })
}
const openSilent = () => {
  for (const [at, before] of silent.entries()) {
    before?.destroy()
    silent[at] = open()
  }
}
openSilent()
setInterval(openSilent, comeBackMs)
process.on('message', () => process.send(counts))
process.on('disconnect', () => process.exit())
