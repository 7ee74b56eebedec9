import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { diskFiles } from '../src/node/files.ts'
import { FREE_PORTS, startProcess } from './support/process.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-commands-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

function almanac(args: readonly string[], environment: Record<string, string> = {}) {
  const program = resolve(import.meta.dirname, '../bin/almanac')
  return new Promise<{ code: number; out: string; err: string }>((done) => {
    const env = { ...process.env, ...environment }
    execFile(process.execPath, [program, ...args], { env }, (error, out, err) => {
      done({ code: error ? Number(error.code) : 0, out, err })
    })
  })
}

test('a chain is started, queried, exported, reindexed and deleted from the command line', async () => {
  const home = join(scratch, 'home')
  const node = await startProcess(['--home', home, '--accounts', '2', '--compute-workers', '0'])
  expect(node.config.accounts.map(({ path }) => path)).toEqual([
    "m/44'/60'/0'/0/0",
    "m/44'/60'/0'/0/1",
    "m/44'/118'/0'/0/0",
    "m/44'/118'/0'/0/1",
  ])
  const port = new URL(node.config.urls.comet).port
  const status = await almanac(['status', '--home', home, '--comet-port', port])
  expect(JSON.parse(status.out)).toMatchObject({ chain_id: 'almanac-localnet-1', height: '1', catching_up: false })
  const second = await almanac(['start', '--home', home])
  expect([second.code, second.err]).toEqual([
    1,
    expect.stringContaining(`process ${node.child.pid} already runs in this home`),
  ])
  await node.kill('SIGINT')
  expect(existsSync(join(home, 'lock'))).toBe(false)

  const other = await almanac(['start', '--home', home, '--accounts', '5'])
  expect([other.code, other.err]).toEqual([
    1,
    expect.stringContaining('began with chain.accounts = 2, but --accounts is 5'),
  ])

  const exported = await almanac(['export', '--home', home])
  const genesis = JSON.parse(exported.out)
  expect(genesis).toMatchObject({ chain_id: 'almanac-localnet-1', initial_height: '2' })
  expect(genesis.app_state.auth.accounts.length).toBeGreaterThanOrEqual(4)
  expect(await almanac(['export', '--home', home, '--height', '1'])).toEqual(exported)
  const future = await almanac(['export', '--home', home, '--height', '9'])
  expect(future).toMatchObject({ code: 1, err: 'almanac: height 9 is in the future: the latest height is 1\n' })

  const file = join(scratch, 'exported.json')
  writeFileSync(file, exported.out)
  const valid = await almanac(['genesis', 'validate', file, '--output', 'json'])
  expect(JSON.parse(valid.out)).toMatchObject({ chain_id: 'almanac-localnet-1', validators: 1, carried: [] })
  writeFileSync(file, exported.out.slice(0, 2000))
  const cut = await almanac(['genesis', 'validate', file])
  expect(cut).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^almanac: .*exported\.json: line \d+, column \d+.*cut off/),
  })

  expect(await almanac(['reindex', '--home', home])).toMatchObject({ code: 0, out: 'indexed 1 blocks\n' })
  expect((await almanac(['status', '--home', home, '--comet-port', port])).err).toContain('no node answers at')

  // As under CometBFT: the engine's chain goes, and its key for peers stays.
  const engine = ['data/blockstore.db', 'config/genesis.json', 'config/priv_validator_key.json', 'config/node_key.json']
  for (const name of engine) diskFiles.write(join(home, 'engine', name), '')
  expect((await almanac(['reset', '--home', home])).out).toBe(`deleted the chain in ${home}\n`)
  expect(engine.map((name) => existsSync(join(home, 'engine', name)))).toEqual([false, false, false, true])
  expect([existsSync(join(home, 'data')), existsSync(join(home, 'config.toml'))]).toEqual([false, true])
  expect((await almanac(['reset', '--home', home])).out).toBe(`no chain in ${home}\n`)
})

test('settings are shown with their origin, and a wrong one is named', async () => {
  const home = join(scratch, 'settings')
  const node = await startProcess(['--home', home, '--compute-workers', '0'])
  await node.kill('SIGINT')
  const file = join(home, 'config.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('# gas_cap = 25000000', 'gas_cap = 30000000'))
  const { out } = await almanac(['config', '--home', home, '--log-format', 'json'], { ALMANAC_RPC_BATCH_LIMIT: '7' })
  expect(out).toContain('gas_cap = 30000000 # config.toml\n')
  expect(out).toContain('batch_limit = 7 # environment\n')
  expect(out).toContain('format = "json" # flag\n')
  expect(out).toContain('\nport = 9090\n')
  writeFileSync(file, '[evm]\ngas_cup = 1\n')
  const wrong = await almanac(['start', '--home', home])
  expect(wrong).toMatchObject({
    code: 1,
    err: 'almanac: config.toml: unknown key evm.gas_cup (did you mean evm.gas_cap?)\n',
  })
})

test('wrong usage exits with code 2 and the reason, a request for help with code 0', async () => {
  expect(await almanac(['start', '--no-such-flag'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--no-such-flag'),
  })
  expect(await almanac(['no-such-command'])).toMatchObject({ code: 2, err: expect.stringContaining('no-such-command') })
  expect(await almanac(['start', '--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--block-time') })
  expect(await almanac([])).toMatchObject({ code: 0, out: expect.stringContaining('reindex') })
})

test('a node that cannot write the --config-out file exits, since its readers would wait without end', async () => {
  const args = ['start', '--ephemeral', '--silent', '--compute-workers', '0', ...FREE_PORTS, '--config-out', scratch]
  const { code, err } = await almanac(args)
  expect([code, err]).toEqual([1, expect.stringContaining(`almanac: ${scratch}: must be a file, and is a folder`)])
})
