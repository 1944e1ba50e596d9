import test from 'ava'
import { openSchedules, timeText } from '../../../../../src/cli/agents/tasks/schedule-text.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

const now = new Date('2026-03-06T17:30:00Z')

test('times are relative to today, in the time zone of the schedule (tasks.md#commands)', t => {
  const said = (iso: string, zone = 'UTC') => timeText(new Date(iso), now, zone)
  t.is(said('2026-03-06T18:00:00Z'), 'today 18:00')
  t.is(said('2026-03-07T09:00:00Z'), 'tomorrow 09:00')
  t.is(said('2026-03-12T09:00:00Z'), 'Thu 09:00')
  t.is(said('2026-03-13T09:00:00Z'), '13 Mar 09:00')
  t.is(said('2028-02-29T00:00:00Z'), '29 Feb 2028 00:00')
  t.is(said('2026-03-06T18:00:00Z', 'Pacific/Auckland'), 'today 07:00', 'it is the seventh there already')
})

test('a schedule shows its next three times (tasks.md#commands)', async t => {
  const schedules = await openSchedules(temporaryWorkspace(t), now)
  t.is(schedules.zone, Intl.DateTimeFormat().resolvedOptions().timeZone)
  t.is(schedules.nextOf('* * * * *').split(', ').length, 3)
  t.regex(schedules.faultOf('every day') ?? '', /five/)
})
