/** Why a sync was broken off; its message becomes the connector's `last_error`. */
export class SyncFault extends Error {}
