/** Names and versions of the software that this node reports to clients. */

export const APPLICATION_NAME = 'almanac'
/** CometBFT version whose RPC this node reproduces. Clients choose their decoder by its first two numbers. */
export const ENGINE_VERSION = '0.38.25'
/** Peer protocol of that version. */
export const P2P_PROTOCOL = 8n
/** Cosmos SDK version whose services and shapes this node reproduces. Clients choose endpoints by it. */
export const SDK_VERSION = 'v0.47.0'
