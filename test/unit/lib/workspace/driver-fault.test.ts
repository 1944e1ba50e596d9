import test from 'ava'
import {
  driverFaultIn,
  driverFaultLine,
  explainFailures,
} from '../../../../src/lib/workspace/driver-fault.js'

const missing = {
  driver: 'better-sqlite3',
  error: Object.assign(new Error('x'), { code: 'MODULE_NOT_FOUND' }),
}
const native = "Cannot find module 'better-sqlite3/build/Release/better_sqlite3.node'"
const uncompiled = {
  driver: 'better-sqlite3',
  error: Object.assign(new Error(native), { code: 'MODULE_NOT_FOUND' }),
}
const foreign = { driver: 'better-sqlite3', error: new Error('against NODE_MODULE_VERSION 115') }
const root = '/usr/lib/node_modules/memory-service'

test('another Node than that of the installation is the reason given', t => {
  const installed = '20.19.0'
  t.deepEqual(explainFailures([missing], { installed, running: '24.1.0', root }), {
    message:
      'memory-service was installed with Node 20.19.0 and runs on Node 24.1.0, so no SQLite driver loads',
    nextStep: 'npm install -g memory-service',
  })
})

test('a driver of another Node is recognised without a record of the installation', t => {
  const { message } = explainFailures([foreign], { installed: undefined, running: '22.1.0', root })
  t.is(
    message,
    'memory-service was installed with another Node and runs on Node 22.1.0, so no SQLite driver loads',
  )
})

test('on Node 20 the next step is a newer Node, or a compilation', t => {
  const told = explainFailures([uncompiled], { installed: undefined, running: '20.19.0', root })
  t.deepEqual(told, {
    message: 'no SQLite driver loads on Node 20.19.0: better-sqlite3 is not compiled',
    nextStep:
      'use Node 22 or newer, or npm install -g memory-service --allow-scripts=better-sqlite3 (needs a C++ compiler)',
  })
})

test('in a clone the next step installs its packages', t => {
  const { nextStep } = explainFailures([missing], {
    installed: undefined,
    running: '22.0.0',
    root: '/src/memory',
  })
  t.is(nextStep, 'npm ci --prefix /src/memory')
})

test('the line that a daemon leaves is found among others', t => {
  const problem = { message: 'no SQLite driver loads on Node 22.0.0: a is not installed', nextStep: 'npm ci' }
  t.deepEqual(driverFaultIn(`before\n${driverFaultLine(problem)}\nafter\n`), problem)
  t.is(driverFaultIn('the port is taken\n'), undefined)
})
