import { expect, test } from 'vitest'
import { parseDevFlags } from './command.ts'
import { DEV_FLAGS } from './flags.ts'
import { resolveDev } from './resolve.ts'

const resolve = async (...flags: readonly string[]) => resolveDev(parseDevFlags(flags))
const settingsOf = async (...flags: readonly string[]) => (await resolve(...flags)).resolved.config

test('without flags the chain is that of the documents', async () => {
  const { resolved, home, choices } = await resolve()
  const { chain, feeder, api, compute, jsonrpc, blocks } = resolved.config
  expect([chain.evmChainId, chain.id, chain.unprotectedTxs, chain.txGasLimit]).toEqual([
    31_337n,
    'almanac-localnet-1',
    true,
    false,
  ])
  expect([feeder.enabled, api.workers, compute.workers, jsonrpc.wsEnabled, blocks.time]).toEqual([
    false,
    0,
    0,
    false,
    'arrival',
  ])
  expect([home, choices.clockOffsetMs, choices.intervalMs]).toEqual([undefined, 0, undefined])
  expect(choices.amendments).toEqual([{ kind: 'baseFee', wei: 1_000_000_000n }])
})

test('a flag sets its settings, by its name, by its letter and by its aliases', async () => {
  for (const flags of [['--block-time', '2'], ['--blockTime=2'], ['-b', '2']]) {
    expect((await settingsOf(...flags)).blocks.time).toBe('2')
  }
  expect((await settingsOf('--no-mine')).blocks.time).toBe('manual')
  expect((await settingsOf('--host', '::1')).rest.host).toBe('::1')
  expect((await settingsOf('--host', '::1', '--rest-host', '127.0.0.1')).rest.host).toBe('127.0.0.1')
  expect((await settingsOf('-vvv')).log.requests).toBe(true)
  expect((await settingsOf('--ipc')).jsonrpc.ipc).toBe('/tmp/almanac.ipc')
  expect((await settingsOf('--ipcpath', '/tmp/x')).jsonrpc.ipc).toBe('/tmp/x')
  expect((await settingsOf('--hardfork', 'latest')).chain.fork).toBe('Osaka')
  for (const name of ['arrowGlacier', 'grayGlacier', 'London']) {
    expect((await settingsOf('--hardfork', name)).chain.fork).toBe('London')
  }
  expect((await settingsOf('--hardfork', 'merge')).chain.fork).toBe('Paris')
  expect((await settingsOf('--hardfork', 'bpo2')).chain.fork).toBe('Osaka')
  expect((await settingsOf('--gas-limit', '100000')).evm.gasCap).toBe(60_000_000n)
  expect((await settingsOf('--gas-limit', '70000000')).evm.gasCap).toBe(70_000_000n)
  expect((await settingsOf('--disable-block-gas-limit')).evm.gasCap).toBe(1_000_000_000n)
  expect((await settingsOf('--number', '0')).chain.initialHeight).toBe(1n)
  expect((await settingsOf('--prune-history')).store.keep).toBe(128)
  expect((await settingsOf('--threads', '0')).compute.workers).toBeGreaterThan(0)
  expect((await settingsOf('--steps-tracing', '--color', 'never')).log.level).toBe('info')
})

test('flags of settings are taken besides those of anvil', async () => {
  const { rest, feeder, chain, evm } = await settingsOf(
    ...['--rest-port', '5', '--feeder', '--validators', '2', '--evm-gas-cap', '7', '--profile', 'nibiru'],
  )
  expect([rest.port, feeder.enabled, chain.validators, chain.profile, evm.gasCap]).toEqual([5, true, 2, 'nibiru', 7n])
  expect((await settingsOf('--no-rest-enabled')).rest.enabled).toBe(false)
})

test.each([
  ['--ephemeral', '--ephemeral is a flag of almanac start: the chain is temporary without it'],
  ['--jsonrpc-ws-port=1', '--jsonrpc-ws-port is a flag of almanac start: here it is --port'],
  ['--evm-chain-id=5', '--evm-chain-id is a flag of almanac start: here it is --chain-id'],
  ['--consensus=cometbft', '--consensus is a flag of almanac start: a development chain is no network'],
  ['--no-dev', '--dev is a flag of almanac start: it always has the development methods'],
])('%s, a flag of another command, is refused with the reason', (flag, message) => {
  expect(() => parseDevFlags([flag])).toThrow(message)
})

const refused = DEV_FLAGS.flatMap(({ flag, aliases = [], value, refused: reason }) =>
  reason === undefined ? [] : [flag, ...aliases].map((name) => ({ name, flag, value, reason })),
)

test.each(refused)('--$name is refused with the reason', async ({ name, flag, value, reason }) => {
  await expect(resolve(`--${name}`, ...(value === undefined ? [] : ['x']))).rejects.toThrow(
    `--${flag} is not supported: ${reason}`,
  )
})

const BAD: readonly (readonly [flags: readonly string[], error: string])[] = [
  [['--port', '65536'], '--port: jsonrpc.port = "65536": must be an integer from 0 to 65535'],
  [['--accounts', '0'], '--accounts: chain.accounts = "0": must be an integer from 1'],
  [['--balance', '1.5'], '--balance: chain.balance = "1.5": must be an integer'],
  [['--mnemonic', 'test test'], '--mnemonic is not a BIP-39 mnemonic'],
  [['--mnemonic-random', '13'], '--mnemonic-random 13: must be one of 12, 15'],
  [['--mnemonic-random=24', '--mnemonic-seed-unsafe', '1'], '--mnemonic-random and --mnemonic-seed-unsafe exclude'],
  [['--mnemonic-seed-unsafe', 'x'], '--mnemonic-seed-unsafe x: must be an integer'],
  [['--chain-id', 'almanac-1'], '--chain-id almanac-1: must be the EVM chain id'],
  [['--chain-id', '0'], '--chain-id 0: must be the EVM chain id'],
  [['--block-time', '0'], '--block-time: blocks.time = "0"'],
  [['--block-time', '1', '--no-mining'], '--block-time and --no-mining exclude each other'],
  [['--mixed-mining'], '--mixed-mining needs --block-time'],
  [['--order', 'random'], '--order: mempool.order = "random": must be one of fees, fifo'],
  [['--max-transactions', 'many'], '--max-transactions: blocks.max_txs = "many"'],
  [['--slots-in-an-epoch', '-1'], '--slots-in-an-epoch: rpc.slots_in_an_epoch = "-1"'],
  [['--hardfork', 'istanbul'], '--hardfork istanbul: forks before Berlin are not supported'],
  [['--hardfork', 'dunno'], '--hardfork: chain.fork = "dunno": must be one of Berlin'],
  [['--gas-limit', 'x'], '--gas-limit: chain.block_gas_limit = "x"'],
  [['--gas-limit', '5', '--disable-block-gas-limit'], '--gas-limit and --disable-block-gas-limit exclude'],
  [['--base-fee', '-1'], '--block-base-fee-per-gas -1: must be an integer from 0'],
  [['--gas-price', 'x'], '--gas-price x: must be an integer from 0'],
  [['--code-size-limit', '2147483648'], '--code-size-limit: chain.code_size_limit = "2147483648"'],
  [['--timestamp', '253402300800'], '--timestamp 253402300800: must be an integer from 0 to 253402300799'],
  [['--number', '-1'], '--number: chain.initial_height = "-1"'],
  [['--transaction-block-keeper', '0'], '--transaction-block-keeper 0: must be at least 1'],
  [['--threads', '65'], '--threads: compute.workers = "65"'],
  [['--quiet', '--print-traces'], '--quiet and --print-traces exclude each other'],
  [['--color', 'always'], '--color always: must be auto or never'],
  [['--allow-origin', '*', '--no-cors'], '--allow-origin and --no-cors exclude each other'],
]

test.each(BAD)('%s is refused with the flag and the reason', async (flags, error) => {
  await expect(resolve(...flags)).rejects.toThrow(error)
})
