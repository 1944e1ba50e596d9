import type { Reply } from '../../../../contract/api.js'
import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { dreamingJob, queuePass } from './dreaming-worker.js'

/** Asks for a pass now. There is one at a time: who asks while one waits or runs is told its job. */
export async function trigger(
  daemon: Pick<Daemon, 'store' | 'clock' | 'newId' | 'configuration' | 'wake'>,
): Promise<Reply<'POST /api/dream/trigger'>> {
  const { settings } = daemon.configuration()
  const mode = pipelineMode(settings)
  if (!settings.dreaming.enabled || mode === 'disabled') return { status: 'disabled' }
  if (mode === 'paused') return { status: 'paused' }
  const jobId = await queuePass(daemon)
  daemon.wake(dreamingJob)
  return { status: 'queued', jobId }
}
