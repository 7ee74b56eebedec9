import { rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rpc } from '../support/rpc.ts'
import { appliedAt, get, heightOf, planOf, proposeCancel } from '../support/upgrade/governance.ts'
import { type Lab, needed, openLab, plainFile, planned, textOf, transfer, wrote } from '../support/upgrade/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab('halt')
})
afterAll(() => lab.close())

/** Runs `almanac status` for a home and the port of its node, which may have stopped. */
const status = (home: string, cometUrl: string, build = '') =>
  lab.command(build, 'status', '--home', lab.homeOf(home), '--comet-port', new URL(cometUrl).port)

test('a build without the handler halts at the plan, and one with the handler continues from there', async () => {
  const node = await lab.start('exit')
  const height = await planned(node, 'v2', '{"binaries":{"any":"https://example.com/a&b"}}')
  await expect(transfer(node)).rejects.toThrow(`the chain has halted: ${needed(height)}`)
  expect(await node.ended).toBe(3)
  const line = `UPGRADE "v2" NEEDED at height: ${height}: {"binaries":{"any":"https://example.com/a&b"}}`
  expect(node.stdout()).toBe(`${line}\n`)
  await wrote(node.stderr).toContain(` error ${line}\n`)
  const { comet } = node.config.urls
  const stands = `the chain in ${lab.homeOf('exit')} is at height ${height - 1}`
  const ended = await status('exit', comet)
  expect([ended.code, ended.err]).toEqual([
    1,
    expect.stringContaining(
      `no node answers at ${comet}/status; ${stands}, and this build halts there: ${needed(height)}`,
    ),
  ])
  expect((await status('exit', comet, 'v2')).err).toContain(`${stands}: start it with`)
  const file = `${plainFile('v2', height).slice(0, -1)},"info":"{\\"binaries\\":{\\"any\\":\\"https://example.com/a\\u0026b\\"}}"}`
  expect(textOf(lab.fileOf('exit'))).toBe(file)

  writeFileSync(lab.fileOf('exit'), file.slice(0, 40))
  const again = await lab.run('exit', '', ['--log-format', 'json'])
  expect([again.code, again.out, textOf(lab.fileOf('exit'))]).toEqual([3, `${line}\n`, file])
  expect(again.err).toContain(`\n${line}\n`)

  writeFileSync(lab.fileOf('exit'), file.slice(0, 40))
  const refused = await lab.run('exit', 'v2')
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('failed to read upgrade info from disk: no JSON, or cut off')
  expect(refused.err).toContain(`should contain\n  ${file}\nWrite that text into it, or delete it`)
  rmSync(lab.fileOf('exit'))

  await using next = await lab.start('exit', 'v2')
  expect(await heightOf(next.config)).toBe(height - 1)
  await transfer(next)
  expect([await appliedAt(next.config, 'v2'), await planOf(next.config)]).toEqual([String(height), null])
  await wrote(next.stderr).toContain(`info  applying upgrade "v2" at height: ${height}`)
  await next.kill('SIGINT')
  const late = await lab.run('exit', '', ['--halt', 'serve'])
  expect([late.code, late.out]).toEqual([5, 'Wrong app version 1, upgrade handler is missing for v2 upgrade plan\n'])
})

test('with --halt=serve a halted node answers every query at the last height, and reports everywhere why it makes no block', async () => {
  await using node = await lab.start('serve', '', ['--halt', 'serve'])
  const { config } = node
  const height = await planned(node)
  const why = needed(height)
  expect(JSON.parse((await status('serve', config.urls.comet)).out)).toMatchObject({ halted: null })
  await expect(transfer(node)).rejects.toThrow(why)
  const told = JSON.parse((await status('serve', config.urls.comet)).out)
  expect(told).toMatchObject({ height: String(height - 1), halted: expect.stringContaining(why) })
  const elsewhere = await status('serve', 'http://127.0.0.1:9')
  expect(elsewhere.err).toContain(`process ${node.child.pid} runs in ${lab.homeOf('serve')}: pass the port flags`)
  expect(textOf(lab.fileOf('serve'))).toBe(plainFile('v2', height))
  await wrote(node.stdout).toBe(`UPGRADE "v2" NEEDED at height: ${height}: \n`)
  await wrote(node.stderr).toContain('no blocks are made; queries are answered at the last height')

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

  const again = await lab.start('serve', '', ['--halt', 'serve'])
  await wrote(again.stdout).toBe(node.stdout())
  expect(await heightOf(again.config)).toBe(height - 1)
  await again.kill('SIGINT')
  const exits = await lab.run('serve', 'v2', ['--unsafe-skip-upgrades', '1', '--halt', 'later'])
  expect(exits.err).toContain('must be one of exit, serve')
})
