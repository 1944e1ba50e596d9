import { AppError } from '../../../../contract/ground/errors.js'
import { storageFault } from '../../../../lib/files/storage-fault.js'

/** True for a temporary failure outside of the import: the disk is full, or writes are frozen. */
export function isOutage(error: unknown): boolean {
  return storageFault(error) !== undefined || (error instanceof AppError && error.code === 'mutations_frozen')
}
