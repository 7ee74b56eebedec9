import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { devCommand } from '../src/cli/dev/command.ts'
import { DEV_FLAGS } from '../src/cli/dev/flags.ts'
import { runDev } from './support/dev.ts'
import { DEV_FILE, renderDevDocument } from './support/dev-flags.ts'

/** The flags and aliases of `anvil --help`, version 1.7.1, but those of every command (help, version). */
const ANVIL =
  `accounts auto-impersonate auto-unlock balance base-fee block-base-fee-per-gas block-time blockTime cache-path celo
chain-id code-size-limit color compute-units-per-second config-out derivation-path disable-block-gas-limit
disable-code-size-limit disable-console-log disable-default-create2-deployer disable-min-priority-fee
disable-pool-balance-checks dump-state enable-trace-printing enable-tx-gas-limit fork-block-number fork-chain-id fork-header
fork-retry-backoff fork-transaction-hash fork-url gas-limit gas-price hardfork host init ipc ipcpath jobs json load-state
max-persisted-states max-transactions md memory-limit mixed-mining mnemonic mnemonic-random mnemonic-seed-unsafe network
no-console-log no-cors no-create2 no-mine no-mining no-priority-fee no-rate-limit no-request-size-limit no-rpc-rate-limit
no-storage-caching number order port preserve-historical-states print-traces prune-history quiet retries rpc-url
slots-in-an-epoch allow-origin state state-interval steps-tracing threads timeout timestamp tracing transaction-block-keeper
tx-gas-limit verbosity`.split(/\s+/)

const ours = DEV_FLAGS.flatMap(({ flag, aliases = [] }) => [flag, ...aliases])

test('docs/dev.md has the table of the flags; npm run limits writes it', () => {
  const text = readFileSync(DEV_FILE, 'utf8')
  expect(renderDevDocument(text)).toBe(text)
})

test('every flag of anvil is in the table, and the table has no other but one of earlier versions', () => {
  expect(ANVIL.filter((name) => !ours.includes(name))).toEqual([])
  expect(ours.filter((name) => !ANVIL.includes(name))).toEqual(['optimism'])
  expect(new Set(ours).size).toBe(ours.length)
})

test('the command has every flag of the table, and its help those that are not refused', async () => {
  const help = devCommand().helpInformation()
  for (const { flag, short, refused } of DEV_FLAGS) {
    const shown = new RegExp(`^ +${short === undefined ? '' : `-${short}, `}--${flag}\\b`, 'm').test(help)
    expect([flag, shown]).toEqual([flag, refused === undefined])
  }
  expect((await runDev('--help')).code).toBe(0)
})

const folder = tmpdir()
const BAD: readonly (readonly [flags: readonly string[], error: string])[] = [
  [['--accounts', '0'], '--accounts: chain.accounts = "0": must be an integer from 1'],
  [['--fork-url', 'http://127.0.0.1'], '--fork-url is not supported: forking is not supported'],
  [['--celo'], '--celo is not supported'],
  [['--fork', 'https://rpc.example'], 'forking another chain is not supported'],
  [['--hostname=0.0.0.0'], '--hostname is a flag of Hardhat: here it is --host'],
  [['--http.api', 'eth'], '--http.api is a flag of geth: here it is --http-api'],
  [['--derivation-path', 'nowhere'], '(--derivation-path) is "nowhere"'],
  [['--host', 'no such host', '--insecure-keys'], 'Set jsonrpc.host'],
  [['--host', '0.0.0.0'], 'or accept it with --insecure-keys'],
  [['--config-out', folder], `${folder}: must be a file, and is a folder`],
]

test.each(BAD)('%s ends the command with the reason', async (flags, error) => {
  const ports = ['port', 'rest-port', 'grpc-port', 'comet-port'].flatMap((name) => [`--${name}`, '0'])
  const { code, out, err } = await runDev('--quiet', ...ports, ...flags)
  expect([code, out, err]).toEqual([1, '', expect.stringContaining(error)])
  expect(err).not.toContain('    at ')
})

test('a flag that begins with no- keeps its name in errors', async () => {
  const { code, err } = await runDev('--no-mining=yes')
  expect([code, err]).toEqual([2, expect.stringContaining('--no-mining')])
  expect(err).not.toContain('--without')
})

test('an argument that is no flag ends with code 2', async () => {
  expect(await runDev('stray')).toMatchObject({ code: 2, err: expect.stringContaining('too many arguments') })
})

test('an unknown flag ends with code 2 and the nearest one', async () => {
  const { code, err } = await runDev('--acounts', '3')
  expect([code, err]).toEqual([2, expect.stringContaining('--acounts')])
  expect(err).toContain('(Did you mean --accounts?)')
})
