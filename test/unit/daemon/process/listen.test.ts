import test from 'ava'
import { listen } from '../../../../src/daemon/process/start.js'
import { isPortTaken, portTakenText } from '../../../../src/lib/workspace/chosen-port.js'

function refused(code: string, port: number) {
  return Object.assign(new Error(`listen ${code}`), { code, port, address: '127.0.0.1', syscall: 'listen' })
}

/** Tries ports that a system refuses below 3852. @returns those that were tried */
async function tryPorts(code: string, isPortChosen: boolean, platform: NodeJS.Platform): Promise<number[]> {
  const tried: number[] = []
  const listenAt = async (port: number) => {
    tried.push(port)
    if (port < 3852) throw refused(code, port)
  }
  await listen(listenAt, { port: 3850, isPortChosen }, platform)
  return tried
}

test('a port that Windows has reserved is passed over for the next free one, where nobody chose it', async t => {
  t.deepEqual(await tryPorts('EACCES', false, 'win32'), [3850, 3851, 3852])
  t.deepEqual(await tryPorts('EADDRINUSE', false, 'linux'), [3850, 3851, 3852])
})

test('a chosen port is not exchanged, and a denial on other systems does not count as a taken port', async t => {
  await t.throwsAsync(tryPorts('EACCES', true, 'win32'), { code: 'EACCES' })
  await t.throwsAsync(tryPorts('EACCES', false, 'linux'), { code: 'EACCES' })
})

test('a port that Windows has reserved is a taken port, and netsh is named', t => {
  const error = refused('EACCES', 3850)
  t.true(isPortTaken(error, 'win32'))
  t.false(isPortTaken(error, 'linux'))
  t.false(isPortTaken({ ...error, syscall: 'open' }, 'win32'))
  t.regex(portTakenText(error), /^port 3850 on 127\.0\.0\.1 is reserved by Windows \(netsh int ipv4 show/u)
  t.regex(
    portTakenText(refused('EADDRINUSE', 3850)),
    /is taken by another program; stop it or set SERVICE_PORT/u,
  )
})
