import test from 'ava'
import type { Finding } from '../../../../../src/cli/operations/doctor/finding.js'
import { diagnosisText } from '../../../../../src/cli/operations/doctor/report.js'
import { colorsFor } from '../../../../../src/cli/terminal/output.js'

const colors = colorsFor({ isTTY: false })
const finding = (fields: Partial<Finding>): Finding => ({
  id: 'disk-space',
  severity: 'ok',
  evidence: '10.0 GiB free',
  fixable: false,
  fixed: false,
  ...fields,
})

test('findings are aligned, and what needs action says what to do', t => {
  const findings = [
    finding({}),
    finding({ id: 'port', severity: 'warning', evidence: 'torn', fix: 'memory doctor --fix', fixable: true }),
  ]
  const counts = { ok: 1, info: 0, warning: 1, error: 0 }
  t.deepEqual(diagnosisText({ healthy: false, counts, findings }, colors).split('\n'), [
    'ok     disk-space  10.0 GiB free',
    'warn   port        torn',
    '                   fix: memory doctor --fix',
    '',
    '1 warning. memory doctor --fix repairs what is safe.',
  ])
})

test('a healthy diagnosis says so, and what was repaired', t => {
  const counts = { ok: 1, info: 0, warning: 0, error: 0 }
  const text = diagnosisText({ healthy: true, counts, findings: [finding({ fixed: true })] }, colors)
  t.deepEqual(text.split('\n'), ['ok     disk-space  10.0 GiB free (fixed)', '', 'Everything works.'])
})
