/** Flags of Hardhat's node and of geth that its users type, and what `almanac dev` and `almanac start` have instead. */
import { configError } from '../node/config.ts'

/** A command of this program that takes the flags. */
export type ServingCommand = 'dev' | 'start'

export interface ForeignFlag {
  readonly program: 'Hardhat' | 'geth'
  /** Without dashes. */
  readonly flag: string
  /** Whether the value of the flag follows it. */
  readonly takesValue: boolean
  /** The flags here, by command, with dashes; a command without an equivalent is absent. */
  readonly here?: Partial<Readonly<Record<ServingCommand, string>>>
  /** The difference, or why there is no such flag: a clause without full stop. */
  readonly why?: string
}

const geth = (
  flag: string,
  takesValue: boolean,
  here: ForeignFlag['here'] | string | undefined,
  why?: string,
): ForeignFlag => ({
  program: 'geth',
  flag,
  takesValue,
  ...(here !== undefined && { here: typeof here === 'string' ? { dev: here, start: here } : here }),
  ...(why !== undefined && { why }),
})

const NO_PREFIX = 'JSON-RPC is served at every path'
const NO_HOSTS = 'a page can call if its origin is allowed, whatever the name of the host'
const NO_ENGINE_API = 'the consensus of this chain is CometBFT or the node itself, not a beacon client'

/** The flags that this program has under another name or not at all. */
export const FOREIGN_FLAGS: readonly ForeignFlag[] = [
  { program: 'Hardhat', flag: 'hostname', takesValue: true, here: { dev: '--host', start: '--jsonrpc-host' } },
  {
    program: 'Hardhat',
    flag: 'chain-type',
    takesValue: true,
    why: 'there is one type of chain; --hardfork selects its rules',
  },
  geth('datadir', true, '--home'),
  geth('networkid', true, { dev: '--chain-id', start: '--evm-chain-id' }),
  geth('dev.period', true, '--block-time'),
  geth('dev.gaslimit', true, { dev: '--gas-limit', start: '--block-gas-limit' }),
  geth('http', false, '--jsonrpc-enabled', 'JSON-RPC is served without it'),
  geth('http.addr', true, { dev: '--host', start: '--jsonrpc-host' }),
  geth('http.port', true, { dev: '--port', start: '--jsonrpc-port' }),
  geth('http.api', true, '--http-api'),
  geth('http.corsdomain', true, { dev: '--allow-origin', start: '--api-cors' }),
  geth('http.vhosts', true, undefined, NO_HOSTS),
  geth('http.rpcprefix', true, undefined, NO_PREFIX),
  geth('ws', false, { dev: '--port', start: '--jsonrpc-ws-enabled' }, 'WebSocket is served without it'),
  geth('ws.addr', true, { dev: '--host', start: '--jsonrpc-host' }),
  geth('ws.port', true, { dev: '--port', start: '--jsonrpc-ws-port' }),
  geth('ws.api', true, '--ws-api'),
  geth('ws.origins', true, { dev: '--allow-origin', start: '--api-cors' }),
  geth('ws.rpcprefix', true, undefined, NO_PREFIX),
  geth('ipcdisable', false, undefined, 'no socket is opened without --jsonrpc-ipc'),
  geth('graphql', false, undefined, 'GraphQL is not served; REST, gRPC and JSON-RPC are'),
  geth('authrpc.addr', true, undefined, NO_ENGINE_API),
  geth('authrpc.port', true, undefined, NO_ENGINE_API),
  geth('authrpc.jwtsecret', true, undefined, NO_ENGINE_API),
  geth('authrpc.vhosts', true, undefined, NO_ENGINE_API),
  geth('rpc.gascap', true, '--evm-gas-cap'),
  geth('rpc.evmtimeout', true, '--evm-timeout'),
  geth('rpc.txfeecap', true, '--evm-tx-fee-cap'),
  geth('rpc.allow-unprotected-txs', false, '--unprotected-txs'),
  geth('rpc.batch-request-limit', true, '--rpc-batch-limit'),
  geth('rpc.batch-response-max-size', true, undefined, 'the answers of a batch are 25 MB at most'),
  geth('rpc.enabledeprecatedpersonal', false, undefined, 'a node keeps no keys but those of a development chain'),
  geth('txpool.pricelimit', true, { dev: '--gas-price', start: '--api-min-gas-price' }),
  geth('txpool.accountslots', true, '--mempool-slots'),
  geth('txpool.globalslots', true, '--mempool-max-txs'),
  geth('metrics', false, '--metrics-enabled'),
  geth('metrics.addr', true, '--metrics-host'),
  geth('metrics.port', true, '--metrics-port'),
  geth('gcmode', true, '--store-keep', 'a number of heights, all by default, which is an archive'),
  geth('syncmode', true, undefined, 'a chain of its own has nothing to synchronise with; a network has --state-sync'),
]

const BY_NAME = new Map(FOREIGN_FLAGS.map((one) => [one.flag, one]))

/** Returns the flags here and the difference as one clause. */
export function insteadOf({ here, why }: ForeignFlag, command: ServingCommand): string {
  const name = here?.[command]
  if (name === undefined) return why ?? `almanac ${command} has no such flag`
  return why === undefined ? `here it is ${name}` : `here it is ${name}: ${why}`
}

/** Throws `invalidArgument` for a flag of another program, with the flag that the command has instead, or why it lacks one. */
export function refuseForeignFlags(args: readonly string[], command: ServingCommand): void {
  for (const [i, argument] of args.entries()) {
    const [, name, value = args[i + 1]] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? []
    if (name === 'fork' && value?.includes('://')) {
      throw configError(
        '--fork is the fork of Ethereum whose rules hold, such as Cancun: forking another chain is not supported',
      )
    }
    const found = name === undefined ? undefined : BY_NAME.get(name)
    if (found) throw configError(`--${found.flag} is a flag of ${found.program}: ${insteadOf(found, command)}`)
  }
}
