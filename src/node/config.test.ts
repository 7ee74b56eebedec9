import { expect, test } from 'vitest'
import { parseBlockTime, parseMemory, resolveConfig } from './config.ts'
import { parseConfigFile, renderConfigFile, renderEffective } from './config-file.ts'

test('a flag precedes the environment, the environment the file, the file the default', () => {
  const file = parseConfigFile('[rest]\nport = 1\nhost = "0.0.0.0"\n[rpc]\nbatch_limit = 7\n[evm]\ngas_cap = 30000000')
  const environment = { ALMANAC_REST_PORT: '2', ALMANAC_RPC_BATCH_LIMIT: '8', PATH: '/bin' }
  const { config, origins } = resolveConfig({ file, environment, flags: { 'rest-port': '3' } })
  expect([config.rest.port, config.rpc.batchLimit, config.rest.host, config.grpc.port]).toEqual([3, 8, '0.0.0.0', 9090])
  expect(config.evm.gasCap).toBe(30_000_000n)
  expect(['rest.port', 'rpc.batch_limit', 'rest.host', 'grpc.port'].map((key) => origins.get(key))).toEqual([
    'flag',
    'environment',
    'config.toml',
    'default',
  ])
})

test('unknown keys and bad values are refused with an error that names them', () => {
  const file = (text: string) => () => resolveConfig({ file: parseConfigFile(text) })
  expect(file('[rest]\nprot = 1')).toThrow('config.toml: unknown key rest.prot (did you mean rest.port?)')
  expect(file('[evm]\nfork = "Osaka"')).toThrow('config.toml: unknown key evm.fork (did you mean chain.fork?)')
  const caller = { evm: { fork: 'Osaka' } } as never
  expect(() => resolveConfig({ caller })).toThrow('startNode: unknown key evm.fork (did you mean chain.fork?)')
  expect(() => resolveConfig({ caller: { rest: { prot: 1 } } as never })).toThrow('(did you mean rest.port?)')
  expect(file('[nonsense]\nport = 1')).toThrow('config.toml: unknown section [nonsense]')
  expect(file('rest = 1')).toThrow('rest must be a section')
  expect(file('[rest]\nport = 70000')).toThrow('config.toml: rest.port = 70000: must be an integer from 0 to 65535')
  expect(file('[rest]\nport = "a"')).toThrow('rest.port = "a"')
  expect(file('[log]\nformat = "xml"')).toThrow('log.format = "xml": must be one of text, json')
  expect(file('[rest')).toThrow('config.toml:')
  expect(() => resolveConfig({ environment: { ALMANAC_REST_PROT: '1' } })).toThrow(
    'unknown variable ALMANAC_REST_PROT (did you mean ALMANAC_REST_PORT?)',
  )
  expect(() => resolveConfig({ flags: { 'block-time': '-1' } })).toThrow('--block-time: blocks.time = "-1": must be')
  expect(() => resolveConfig({ caller: { chain: { accounts: 0 } } })).toThrow('startNode: chain.accounts = 0')
})

test('a secret in the file is refused, since others read the file', () => {
  const mnemonic = 'test test test test test test test test test test test junk'
  expect(() => resolveConfig({ file: { chain: { mnemonic } } })).toThrow(
    /^config\.toml: chain\.mnemonic is a secret, .* by --mnemonic-file or ALMANAC_CHAIN_MNEMONIC$/,
  )
  expect(resolveConfig({ environment: { ALMANAC_CHAIN_MNEMONIC: mnemonic } }).config.chain.mnemonic).toBe(mnemonic)
})

test('values out of range or of the wrong form are refused with the expected form', () => {
  const given = (flag: string, value: string) => () => resolveConfig({ flags: { [flag]: value } })
  for (const wrong of ['banana', '5', '0.025', '0.025unative,', '-1unative', '0.0000000000000000001unative']) {
    expect(given('api-min-gas-price', wrong)).toThrow(
      `--api-min-gas-price: api.min_gas_price = "${wrong}": must be prices such as "0.025unative", or empty`,
    )
  }
  for (const right of ['', '0unative', '0.025unative, 1ufoo']) expect(given('api-min-gas-price', right)).not.toThrow()
  // Longer timers fire at once.
  expect(given('block-time', '2147484')).toThrow('or a duration from "1ms" to "596h"')
  expect(given('block-time', '596h')).not.toThrow()
  expect(given('evm-timeout', '0')).toThrow('must be a duration such as "5s", from 1 ms to 86400000 ms')
  expect(given('evm-timeout', '25h')).toThrow('evm.timeout = "25h"')
  expect(given('voting-period', '0s')).toThrow('chain.voting_period = "0s": must be a duration')
  expect(given('compute-memory', '1MB')).toThrow('must be a size such as "256MB", from 16777216 to 1099511627776 bytes')
  expect(given('mempool-max-bytes', '0')).toThrow('mempool.max_bytes = "0": must be a size')
  // Without an address a port is open on all interfaces.
  for (const gateway of ['rest', 'grpc', 'jsonrpc', 'comet', 'metrics']) {
    expect(given(`${gateway}-host`, '')).toThrow(`${gateway}.host = "": must be a text that is not empty`)
  }
})

test('origins are those that a browser can send, so that none is ignored silently', () => {
  const origins = (value: string) => resolveConfig({ flags: { 'api-cors': value } }).config.api.cors
  const given = ['https://app.example', 'http://127.0.0.1:3000', 'chrome-extension://abc', 'null', '*']
  expect(origins(given.join(', '))).toEqual(given)
  expect(origins('')).toEqual([])
  expect(resolveConfig({ caller: { api: { cors: ['http://[::1]:5'] } } }).config.api.cors).toEqual(['http://[::1]:5'])
  for (const wrong of ['app.example', 'https://app.example/', 'https://App.example', 'https://a b', '*.example']) {
    expect(() => origins(wrong)).toThrow(`--api-cors: api.cors = "${wrong}": must be origins as browsers send them`)
  }
})

test('a list of heights comes from one flag or several, the environment or the file', () => {
  const skipped = (sources: Parameters<typeof resolveConfig>[0]) => resolveConfig(sources).config.upgrade.skip
  expect(skipped({ flags: { 'unsafe-skip-upgrades': '100,200' } })).toEqual(['100', '200'])
  expect(skipped({ environment: { ALMANAC_UPGRADE_UNSAFE_SKIP_UPGRADES: '7' } })).toEqual(['7'])
  expect(skipped({ file: parseConfigFile('[upgrade]\nunsafe_skip_upgrades = [100, "200"]') })).toEqual(['100', '200'])
  expect(skipped({})).toEqual([])
  for (const wrong of ['', 'v2', '0', '-1', '1,,2', '1.5']) {
    expect(() => skipped({ flags: { 'unsafe-skip-upgrades': wrong } })).toThrow('must be heights of blocks such as 100')
  }
  expect(() => resolveConfig({ flags: { halt: 'pause' } })).toThrow(
    'upgrade.halt = "pause": must be one of exit, serve',
  )
  // Letter case does not matter: tools write the names of forks in lower case.
  expect(resolveConfig({ flags: { fork: 'cancun' } }).config.chain.fork).toBe('Cancun')
})

test('a block time is a word, seconds, or a duration', () => {
  expect(parseBlockTime('arrival')).toEqual({ mode: 'arrival' })
  expect(parseBlockTime('0.5')).toEqual({ mode: 'interval', intervalMs: 500 })
  expect(parseBlockTime('500ms')).toEqual({ mode: 'interval', intervalMs: 500 })
  expect(parseBlockTime('1m')).toEqual({ mode: 'interval', intervalMs: 60_000 })
  expect([parseBlockTime('0'), parseBlockTime('soon'), parseBlockTime('-2s')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect([parseMemory('256MB'), parseMemory('12'), parseMemory('many')]).toEqual([268_435_456, 12, undefined])
})

test('the initial file contains every key, sets the values that were given, and results in the same settings', () => {
  const resolved = resolveConfig({ flags: { accounts: '3', 'block-time': '2', balance: '5' } })
  const text = renderConfigFile(resolved, () => true)
  expect(resolveConfig({ file: parseConfigFile(text) }).config).toEqual(resolved.config)
  expect(text).toContain('\naccounts = 3\n')
  expect(text).toContain('\n# port = 1317\n')
  expect(renderConfigFile(resolveConfig({ flags: { 'port-offset': '7' } }), () => false)).toContain(
    '\n# port_offset = 0\n',
  )
  expect(renderEffective(resolved)).toContain('accounts = 3 # flag')
  expect(parseConfigFile(renderEffective(resolved))).toMatchObject({ chain: { accounts: 3 }, log: { format: 'text' } })
})
