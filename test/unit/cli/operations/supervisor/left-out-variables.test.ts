import test from 'ava'
import {
  leftOutNotes,
  leftOutVariables,
} from '../../../../../src/cli/operations/supervisor/left-out-variables.js'

const env = {
  PATH: '/usr/bin',
  SERVICE_WORKSPACE: '/w',
  SERVICE_API_KEY: 'key',
  SERVICE_PORT: '4000',
  SERVICE_LOG_LEVEL: 'debug',
  SERVICE_SECRETS_PASSPHRASE: 'hunter2',
  SERVICE_HOST: '',
}

test('every variable of the daemon that a supervisor does not get is named, those of other programs are not', t => {
  t.deepEqual(leftOutVariables(env), ['SERVICE_LOG_LEVEL', 'SERVICE_PORT', 'SERVICE_SECRETS_PASSPHRASE'])
})

test('a port has a setting to go to, and no secret is shown', t => {
  const notes = leftOutNotes(env).join('\n')
  t.regex(notes, /SERVICE_PORT .*memory config set daemon\.port 4000/)
  t.notRegex(notes, /hunter2/)
})
