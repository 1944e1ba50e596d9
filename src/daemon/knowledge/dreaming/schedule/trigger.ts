import type { Reply } from '../../../../contract/api.js'
import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { dreamingJob, queuePass } from './dreaming-worker.js'

/** Queues a pass now. While one is queued or running, its job is returned. */
export async function triggerPass(
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
