/** All settings of a node: key in `config.toml`, flag, default and meaning. The environment variable follows from the key. */
import { BLOCKS_SETTINGS, CHAIN_SETTINGS, TEST_MNEMONIC } from './settings/chain.ts'
import { COMPUTE_SETTINGS, EVM_SETTINGS, MEMPOOL_SETTINGS } from './settings/execution.ts'
import { FOLLOW_SETTINGS } from './settings/follow.ts'
import {
  API_SETTINGS,
  COMET_SETTINGS,
  GRPC_SETTINGS,
  JSONRPC_SETTINGS,
  METRICS_SETTINGS,
  REST_SETTINGS,
  RPC_SETTINGS,
} from './settings/gateways.ts'
import {
  CONSENSUS_SETTINGS,
  FEEDER_SETTINGS,
  LOG_SETTINGS,
  NODE_SETTINGS,
  UPGRADE_SETTINGS,
} from './settings/process.ts'
import type { Setting } from './settings/setting.ts'
import { SNAPSHOTS_SETTINGS, STATE_SYNC_SETTINGS, STORE_SETTINGS } from './settings/storage.ts'

export const SETTINGS = {
  chain: CHAIN_SETTINGS,
  blocks: BLOCKS_SETTINGS,
  consensus: CONSENSUS_SETTINGS,
  node: NODE_SETTINGS,
  rest: REST_SETTINGS,
  grpc: GRPC_SETTINGS,
  jsonrpc: JSONRPC_SETTINGS,
  comet: COMET_SETTINGS,
  metrics: METRICS_SETTINGS,
  api: API_SETTINGS,
  rpc: RPC_SETTINGS,
  evm: EVM_SETTINGS,
  compute: COMPUTE_SETTINGS,
  mempool: MEMPOOL_SETTINGS,
  feeder: FEEDER_SETTINGS,
  store: STORE_SETTINGS,
  snapshots: SNAPSHOTS_SETTINGS,
  follow: FOLLOW_SETTINGS,
  statesync: STATE_SYNC_SETTINGS,
  upgrade: UPGRADE_SETTINGS,
  log: LOG_SETTINGS,
} as const satisfies Record<string, Record<string, Setting>>

type Widen<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : T extends readonly unknown[]
        ? readonly string[]
        : T

/** All settings with their values: one object, sections and names as in `SETTINGS`. */
export type Config = {
  readonly [Section in keyof typeof SETTINGS]: {
    readonly [Name in keyof (typeof SETTINGS)[Section]]: (typeof SETTINGS)[Section][Name] extends Setting<infer Value>
      ? Widen<Value>
      : never
  }
}

/** Every setting with its name in `Config`. */
export const ALL_SETTINGS: readonly { readonly name: string; readonly setting: Setting }[] = Object.values(
  SETTINGS,
).flatMap((section) => Object.entries(section).map(([name, setting]) => ({ name, setting: setting as Setting })))

/** Whether a localnet, and not a replica, has the accounts and validators of the default mnemonic, whose keys are public. */
export function hasPublicKeys({ chain, consensus }: Config): boolean {
  return consensus.engine !== 'follow' && chain.genesis === '' && chain.mnemonic === TEST_MNEMONIC
}
