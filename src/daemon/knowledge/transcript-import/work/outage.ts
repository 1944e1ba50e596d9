import { AppError } from '../../../../contract/ground/errors.js'
import { storageFault } from '../../../../lib/files/storage-fault.js'

/** Whether a failure is nobody's fault that another attempt could mend: the disk is full, or writes are frozen. */
export function isOutage(error: unknown): boolean {
  return storageFault(error) !== undefined || (error instanceof AppError && error.code === 'mutations_frozen')
}
