import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  appliedAt,
  endVoting,
  heightOf,
  lastProposal,
  mineTo,
  planOf,
  proposeCancel,
  proposePlan,
} from '../support/upgrade/governance.ts'
import { type Lab, needed, openLab, plainFile, planned, textOf, transfer, wrote } from '../support/upgrade/lab.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab('plans')
})
afterAll(() => lab.close())

test('a build that is installed too early halts when it sees the plan, and changes nothing', async () => {
  const old = await lab.start('early')
  await proposePlan(old.config, 'v2', 100)
  await endVoting(old.config)
  const height = await heightOf(old.config)
  await old.kill('SIGINT')
  const line =
    'BINARY UPDATED BEFORE TRIGGER! UPGRADE "v2" - in binary but not executed on chain. Downgrade your binary\n'
  const early = await lab.run('early', 'v2')
  expect([early.code, early.out]).toEqual([4, line])
  await using again = await lab.start('early')
  expect([await heightOf(again.config), await planOf(again.config)]).toMatchObject([height, { height: '100' }])
  await again.kill('SIGINT')

  const running = await lab.start('early-running', 'v2')
  await proposePlan(running.config, 'v2', 100)
  await endVoting(running.config)
  await expect(transfer(running)).rejects.toThrow('this build cannot run the chain before that height')
  expect([await running.ended, running.stdout()]).toEqual([4, line])
})

test('a throwing handler leaves the previous block unchanged; a fixed build or a skip continues', async () => {
  const old = await lab.start('failing')
  const height = await planned(old)
  await expect(transfer(old)).rejects.toThrow(needed(height))
  await old.ended
  const failing = await lab.start('failing', 'failing', ['--halt', 'serve'])
  const line = `UPGRADE "v2" FAILED at height: ${height}: the ledger does not add up`
  await expect(transfer(failing)).rejects.toThrow(line)
  await wrote(failing.stdout).toBe(`${line}\n`)
  expect(await heightOf(failing.config)).toBe(height - 1)
  await failing.kill('SIGINT')
  const exiting = await lab.start('failing', 'failing')
  await expect(transfer(exiting)).rejects.toThrow(`--unsafe-skip-upgrades ${height}`)
  expect(await exiting.ended).toBe(6)

  await using skipping = await lab.start('failing', 'failing', ['--unsafe-skip-upgrades', String(height)])
  await transfer(skipping)
  await wrote(skipping.stderr).toContain(`UPGRADE "v2" SKIPPED at ${height}: `)
  expect([await appliedAt(skipping.config, 'v2'), await planOf(skipping.config)]).toEqual(['0', null])
})

test('later votes move, replace and cancel plans, and only the last plan of a height counts', async () => {
  const node = await lab.start('moved')
  const { config } = node
  writeFileSync(lab.fileOf('moved'), plainFile('of another chain', 7))
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
  expect([await node.ended, textOf(lab.fileOf('moved'))]).toEqual([3, plainFile('v3', 130)])

  writeFileSync(lab.fileOf('moved'), plainFile('v9', 130))
  await using next = await lab.start('moved', 'v3')
  await wrote(next.stderr).toContain('upgrade-info.json does not fit this chain: it has no effect')
  await wrote(next.stderr).toContain('this chain is at height 129 and has \\"v3\\" planned for height 130')
  await transfer(next)
  expect([await appliedAt(next.config, 'v2'), await appliedAt(next.config, 'v3')]).toEqual(['0', '130'])
})
