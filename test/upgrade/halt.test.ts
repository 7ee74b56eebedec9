import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type NodeProcess, startProcess } from '../process.ts'
import { bundle } from './bundle.ts'
import {
  appliedAt,
  endVoting,
  get,
  heightOf,
  lastProposal,
  mineTo,
  planOf,
  proposeCancel,
  proposePlan,
  rpc,
  VOTING_SECONDS,
} from './governance.ts'

// Each starts up to five processes.
vi.setConfig({ testTimeout: 90_000 })

const scratch = mkdtempSync(join(tmpdir(), 'almanac-halt-'))
let path: string
beforeAll(async () => {
  path = await bundle('halt')
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Each test has a home of its own. */
const flagsOf = (home: string, more: readonly string[]) => [
  ...['--home', join(scratch, home), '--voting-period', `${VOTING_SECONDS}s`, '--compute-workers', '0', ...more],
]

/** Runs the build of that name; '' is this one, which has no handler. */
const start = (home: string, build = '', more: readonly string[] = []): Promise<NodeProcess> =>
  startProcess(flagsOf(home, more), { path, environment: { TEST_BUILD: build } })

/** Runs a command of a build, to its end. */
function command(build: string, ...words: readonly string[]) {
  return new Promise<{ code: number; out: string; err: string }>((done) => {
    execFile(process.execPath, [path, ...words], { env: { ...process.env, TEST_BUILD: build } }, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

/** Runs a build that is expected to end by itself. */
const run = (home: string, build = '', more: readonly string[] = []) =>
  command(build, 'start', '--silent', '--no-feeder', '--port-offset', '20000', ...flagsOf(home, more))

/** What `almanac status` says of a home whose node listens there, if it runs. */
const status = (home: string, cometUrl: string, build = '') =>
  command(build, 'status', '--home', join(scratch, home), '--comet-port', new URL(cometUrl).port)

const fileOf = (home: string): string => join(scratch, home, 'data/upgrade-info.json')
const plainFile = (name: string, height: number) =>
  `{"name":"${name}","time":"0001-01-01T00:00:00Z","height":${height}}`

/** Plans an upgrade for the tenth block from now. Resolves with its height, the chain standing one block before it. */
async function planned({ config }: NodeProcess, name = 'v2', info = ''): Promise<number> {
  const height = (await heightOf(config)) + 10
  await proposePlan(config, name, height, info)
  await endVoting(config)
  await mineTo(config, height - 1)
  return height
}

/** Its arrival makes a block. */
function transfer({ config }: NodeProcess): Promise<unknown> {
  const [from, to] = config.accounts.map(({ address }) => address)
  return rpc(config, 'eth_sendTransaction', [{ from, to, value: '0x1' }])
}

const needed = (height: number): string =>
  `upgrade "v2" is needed at height ${height}, and this build has no handler for it; ` +
  'start the build that has the handler "v2" on the same home'

test('a build without the handler ends at the plan, and the one that has it goes on from there', async () => {
  const node = await start('exit')
  const height = await planned(node, 'v2', '{"binaries":{"any":"https://example.com/a&b"}}')
  await expect(transfer(node)).rejects.toThrow(`the chain has halted: ${needed(height)}`)
  expect(await node.ended).toBe(3)
  const line = `UPGRADE "v2" NEEDED at height: ${height}: {"binaries":{"any":"https://example.com/a&b"}}`
  expect(node.stdout()).toBe(`${line}\n`)
  expect(node.stderr()).toContain(` error ${line}\n`)
  const { comet } = node.config.urls
  const stands = `the chain in ${join(scratch, 'exit')} stands at height ${height - 1}`
  const ended = await status('exit', comet)
  expect([ended.code, ended.err]).toEqual([
    1,
    expect.stringContaining(
      `no node answers at ${comet}/status; ${stands}, and this build halts there: ${needed(height)}`,
    ),
  ])
  expect((await status('exit', comet, 'v2')).err).toContain(`${stands}: start it with`)
  const file = `${plainFile('v2', height).slice(0, -1)},"info":"{\\"binaries\\":{\\"any\\":\\"https://example.com/a\\u0026b\\"}}"}`
  expect(readFileSync(fileOf('exit'), 'utf8')).toBe(file)

  writeFileSync(fileOf('exit'), file.slice(0, 40))
  const again = await run('exit', '', ['--log-format', 'json'])
  expect([again.code, again.out, readFileSync(fileOf('exit'), 'utf8')]).toEqual([3, `${line}\n`, file])
  expect(again.err).toContain(`\n${line}\n`)

  writeFileSync(fileOf('exit'), file.slice(0, 40))
  const refused = await run('exit', 'v2')
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('failed to read upgrade info from disk: no JSON, or cut off')
  expect(refused.err).toContain(`should hold\n  ${file}\nWrite that into it, or remove it`)
  rmSync(fileOf('exit'))

  await using next = await start('exit', 'v2')
  expect(await heightOf(next.config)).toBe(height - 1)
  await transfer(next)
  expect([await appliedAt(next.config, 'v2'), await planOf(next.config)]).toEqual([String(height), null])
  expect(next.stderr()).toContain(`info  applying upgrade "v2" at height: ${height}`)
  await next.kill('SIGINT')
  const late = await run('exit', '', ['--halt', 'serve'])
  expect([late.code, late.out]).toEqual([5, 'Wrong app version 1, upgrade handler is missing for v2 upgrade plan\n'])
})

test('a node that serves on answers every query at the last height, and says everywhere why it makes no block', async () => {
  await using node = await start('serve', '', ['--halt', 'serve'])
  const { config } = node
  const height = await planned(node)
  const why = needed(height)
  expect(JSON.parse((await status('serve', config.urls.comet)).out)).toMatchObject({ halted: null })
  await expect(transfer(node)).rejects.toThrow(why)
  const told = JSON.parse((await status('serve', config.urls.comet)).out)
  expect(told).toMatchObject({ height: String(height - 1), halted: expect.stringContaining(why) })
  const elsewhere = await status('serve', 'http://127.0.0.1:9')
  expect(elsewhere.err).toContain(`process ${node.child.pid} runs in ${join(scratch, 'serve')}: give the ports`)
  expect(readFileSync(fileOf('serve'), 'utf8')).toBe(plainFile('v2', height))
  expect(node.stdout()).toBe(`UPGRADE "v2" NEEDED at height: ${height}: \n`)
  expect(node.stderr()).toContain('no blocks are made; queries are answered at the last height')

  const ready = await get(config, '/readyz')
  const reasons = [`halted: ${why.split('; ')[0]}`]
  expect([ready.status, ready.body]).toMatchObject([
    503,
    { ready: false, halted: true, reasons, upgrade: { name: 'v2', height: String(height) } },
  ])
  const balance = await get(config, `/chain/evm/v1/balances/${config.accounts[0]!.address}`)
  expect([balance.status, balance.headers.get('x-sdk-block-height')]).toEqual([200, String(height - 1)])
  expect(balance.headers.get('x-chain-halted')).toContain(why)
  expect([await planOf(config), await heightOf(config)]).toMatchObject([{ name: 'v2' }, height - 1])
  await expect(rpc(config, 'evm_mine')).rejects.toThrow(why)
  await expect(proposeCancel(config)).rejects.toThrow(why)
  const comet = await fetch(`${config.urls.comet}/broadcast_tx_sync?tx=0x00`)
  expect(comet.headers.get('x-chain-halted')).toContain(why)
  expect(await comet.text()).toContain('the chain has halted')
  await node.kill('SIGINT')

  const again = await start('serve', '', ['--halt', 'serve'])
  expect([again.stdout(), await heightOf(again.config)]).toEqual([node.stdout(), height - 1])
  await again.kill('SIGINT')
  const exits = await run('serve', 'v2', ['--unsafe-skip-upgrades', '1', '--halt', 'later'])
  expect(exits.err).toContain('must be one of exit, serve')
})

test('a build that comes early ends as soon as it sees the plan, and changes nothing', async () => {
  const old = await start('early')
  await proposePlan(old.config, 'v2', 100)
  await endVoting(old.config)
  const height = await heightOf(old.config)
  await old.kill('SIGINT')
  const line =
    'BINARY UPDATED BEFORE TRIGGER! UPGRADE "v2" - in binary but not executed on chain. Downgrade your binary\n'
  const early = await run('early', 'v2')
  expect([early.code, early.out]).toEqual([4, line])
  await using again = await start('early')
  expect([await heightOf(again.config), await planOf(again.config)]).toMatchObject([height, { height: '100' }])
  await again.kill('SIGINT')

  const running = await start('early-running', 'v2')
  await proposePlan(running.config, 'v2', 100)
  await endVoting(running.config)
  await expect(transfer(running)).rejects.toThrow('this build runs the chain only from there on')
  expect([await running.ended, running.stdout()]).toEqual([4, line])
})

test('a handler that throws leaves the block before as it was; a build that is mended, or a skip, goes on', async () => {
  const old = await start('failing')
  const height = await planned(old)
  await expect(transfer(old)).rejects.toThrow(needed(height))
  await old.ended
  const failing = await start('failing', 'failing', ['--halt', 'serve'])
  const line = `UPGRADE "v2" FAILED at height: ${height}: the ledger does not add up`
  await expect(transfer(failing)).rejects.toThrow(line)
  expect([failing.stdout(), await heightOf(failing.config)]).toEqual([`${line}\n`, height - 1])
  await failing.kill('SIGINT')
  const exiting = await start('failing', 'failing')
  await expect(transfer(exiting)).rejects.toThrow(`--unsafe-skip-upgrades ${height}`)
  expect(await exiting.ended).toBe(6)

  await using skipping = await start('failing', 'failing', ['--unsafe-skip-upgrades', String(height)])
  await transfer(skipping)
  expect(skipping.stderr()).toContain(`UPGRADE "v2" SKIPPED at ${height}: `)
  expect([await appliedAt(skipping.config, 'v2'), await planOf(skipping.config)]).toEqual(['0', null])
})

test('plans are moved, replaced and cancelled by later votes, and only the last one of a height counts', async () => {
  const node = await start('moved')
  const { config } = node
  writeFileSync(fileOf('moved'), plainFile('of another chain', 7))
  const propose = async (...plans: (readonly [string, number])[]) => {
    for (const [name, height] of plans) await proposePlan(config, name, height)
    await endVoting(config)
    return await planOf(config)
  }
  expect(await propose(['v2', 100])).toMatchObject({ name: 'v2', height: '100' })
  expect(await propose(['v2', 120])).toMatchObject({ name: 'v2', height: '120' })
  expect(await propose(['other', 90])).toMatchObject({ name: 'other', height: '90' })
  expect(await propose(['v2', 5])).toMatchObject({ name: 'other', height: '90' })
  expect(await lastProposal(config)).toMatchObject({ status: 'PROPOSAL_STATUS_FAILED' })
  await proposeCancel(config)
  await endVoting(config)
  expect(await planOf(config)).toBeNull()
  await mineTo(config, 95)
  expect(await propose(['v2', 130], ['v3', 130])).toMatchObject({ name: 'v3', height: '130' })
  await mineTo(config, 129)
  await expect(transfer(node)).rejects.toThrow('upgrade "v3" is needed at height 130')
  expect([await node.ended, readFileSync(fileOf('moved'), 'utf8')]).toEqual([3, plainFile('v3', 130)])

  writeFileSync(fileOf('moved'), plainFile('v9', 130))
  await using next = await start('moved', 'v3')
  expect(next.stderr()).toContain('upgrade-info.json is of another chain or another time: it has no effect')
  expect(next.stderr()).toContain('this chain is at height 129 and has \\"v3\\" planned for height 130')
  await transfer(next)
  expect([await appliedAt(next.config, 'v2'), await appliedAt(next.config, 'v3')]).toEqual(['0', '130'])
})
