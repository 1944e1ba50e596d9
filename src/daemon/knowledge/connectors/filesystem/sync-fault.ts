/** Aborts a sync; its message becomes the connector's `last_error`. */
export class SyncFault extends Error {}
