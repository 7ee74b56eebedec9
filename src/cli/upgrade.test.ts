import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Upgrade } from '../app/upgrades/types.ts'
import { type Node, startNode } from '../node/start.ts'
import { utf8 } from '../primitives/bytes.ts'
import { runCommand } from './commands.ts'
import { keysCommand } from './keys.ts'
import { preUpgrade } from './pre-upgrade.ts'
import { queryCommand } from './query.ts'
import type { Terminal } from './terminal.ts'
import { txCommand } from './tx.ts'
import { safeBlocks } from './tx-upgrade.ts'

const v2: Upgrade = {
  name: 'v2',
  inPlace: true,
  stores: { added: ['notes'] },
  run(ctx, _plan, from) {
    ctx.store.set('notes', utf8('a'), utf8('b'))
    return from
  },
}
const build = { upgrades: [v2] }
const home = mkdtempSync(join(tmpdir(), 'almanac-cli-upgrade-'))
let node: Node
/** A clock in tenths of a second, which show whether a time is printed with trailing zeros. */
const clock = () => Math.floor(Date.now() / 100) * 100
beforeAll(async () => {
  node = await startNode({ home, chain: { votingPeriod: '600s', accounts: 2 } }, { build, clock })
})
afterAll(async () => {
  await node.stop()
  rmSync(home, { recursive: true, force: true })
})

function recorder(answers: string[] = []) {
  const [printed, noted]: [string[], string[]] = [[], []]
  const terminal: Terminal = {
    print: (text) => printed.push(text),
    note: (text) => noted.push(text),
    interactive: false,
    ask: async () => answers.shift(),
    askSecret: async () => answers.shift(),
  }
  return { printed, noted, terminal }
}

async function query(words: string): Promise<string> {
  const { printed, terminal } = recorder()
  await queryCommand(terminal).parseAsync([...words.split(' '), '--node', node.urls.rest, '--home', home], {
    from: 'user',
  })
  return printed.join('\n')
}

async function tx(...words: string[]): Promise<string[]> {
  const { noted, terminal } = recorder()
  const fixed = ['--from', 'operator', '--keyring-backend', 'test', '--home', home, '--node', node.urls.rest, '--yes']
  await txCommand(terminal).parseAsync([...words, ...fixed], { from: 'user' })
  return noted
}

const deposit = ['--deposit', '10000000unative']

test('commands propose an upgrade, vote for it and show it after it ran', async () => {
  const { terminal } = recorder([node.accounts[0]!.privateKey.slice(2)])
  const words = `import operator --hex --algo eth_secp256k1 --keyring-backend test --home ${home}`
  await keysCommand(terminal).parseAsync(words.split(' '), { from: 'user' })
  await expect(query('upgrade plan')).rejects.toThrow('no upgrade scheduled')
  const submit = ['gov', 'submit-proposal', 'software-upgrade', 'v2', '--upgrade-height', '20', ...deposit]
  await expect(tx(...submit)).rejects.toThrow(
    'plan info must not be blank; fix --upgrade-info, or skip the check with --no-validate',
  )
  const noted = await tx(...submit, '--no-validate')
  expect(noted.join()).toContain('a later vote could not cancel the plan at height 20')
  expect(noted.join()).toContain('2 × (voting 600 s + deposit 600 s) + safety 86400 s = 88800 s')
  await tx('gov', 'vote', '1', 'yes')
  await node.advance(601)
  expect(await query('upgrade plan')).toBe(
    'height: "20"\ninfo: ""\nname: v2\ntime: "0001-01-01T00:00:00Z"\nupgraded_client_state: null',
  )
  expect(JSON.parse(await query('upgrade plan --output json'))).toMatchObject({ name: 'v2', height: '20' })
  await expect(query('upgrade applied v2')).rejects.toThrow('no upgrade found')
  while (node.height < 19n) await node.nextBlock()
  await new Promise((resolve) => setTimeout(resolve, 200))
  while (node.height < 21n) await node.nextBlock()

  const info = (await (await fetch(`${node.urls.comet}/abci_info`)).json()) as { result: { response: object } }
  expect(info.result.response).toMatchObject({ app_version: '1' })

  const applied = JSON.parse(await query('upgrade applied v2'))
  const { result } = (await (await fetch(`${node.urls.comet}/blockchain?minHeight=20&maxHeight=20`)).json()) as {
    result: { block_metas: unknown[] }
  }
  expect(applied).toEqual(result.block_metas[0])
  expect(applied.header.time).toMatch(/:\d\d(\.\d)?Z$/)
  expect(await query('upgrade module_versions bank')).toBe('module_versions:\n- name: bank\n  version: "4"')
  expect(await query('upgrade module_versions bank -o text')).toBe(await query('upgrade module_versions bank'))
  expect(JSON.parse(await query('upgrade module-versions -o json')).module_versions.length).toBeGreaterThan(10)
  await expect(query('upgrade module_versions nothing')).rejects.toThrow('module nothing not found')
  const past = [...submit.slice(0, 5), '20', ...deposit, '--no-validate']
  expect((await tx(...past)).join()).toMatch(
    /the vote ends at about \d+ .*a plan for height 20 is in the past by then, and the proposal fails/,
  )
  const late = [...submit.slice(0, 5), '9999999', ...deposit, '--no-validate']
  expect(await tx(...late)).toEqual([])
  await tx('gov', 'submit-proposal', 'cancel-software-upgrade', ...deposit)
})

test('the safe height counts twice the voting and deposit periods, plus the safety delta', () => {
  expect(safeBlocks(2 * (172_800 + 172_800) + 86_400, 2)).toBe(388_800n)
  expect(safeBlocks(2 * (86_400 + 172_800) + 86_400, 1.5)).toBe(403_200n)
  expect(safeBlocks(2 * (60 + 60) + 30, 1)).toBe(270n)
})

test('a build rehearses an upgrade before the vote, and tells its supervisor whether it can take over', async () => {
  const free = mkdtempSync(join(tmpdir(), 'almanac-cli-stopped-'))
  const stopped = await startNode({ home: free, chain: { accounts: 1 } })
  await stopped.stop()
  // A running node process: the parent of this test.
  writeFileSync(join(free, 'lock'), `${process.ppid}`)
  expect(await preUpgrade(['--home', free], build)).toBe(31)
  rmSync(join(free, 'lock'))
  expect(await preUpgrade(['--home', free], build)).toBe(0)
  writeFileSync(join(free, 'data/upgrade-info.json'), '{"name":"v9","height":5}')
  expect(await preUpgrade(['--home', free], build)).toBe(30)
  expect(await preUpgrade(['--home', free], { upgrades: [{ name: 'v9' }] })).toBe(0)
  writeFileSync(join(free, 'data/upgrade-info.json'), '{"name":"v9"')
  expect(await preUpgrade(['--home', free], build)).toBe(30)
  expect(await runCommand(['upgrade', 'rehearse', 'v2', '--home', free], build)).toBe(0)
  expect(await runCommand(['upgrade', 'rehearse', 'v3', '--home', free], build)).toBe(1)
  const broken: Upgrade = {
    name: 'v2',
    run: () => {
      throw new Error('no')
    },
  }
  expect(await runCommand(['upgrade', 'rehearse', 'v2', '--home', free], { upgrades: [broken] })).toBe(1)
  expect(await runCommand(['upgrade', 'preflight', '--home', free, '-o', 'json'], { upgrades: [] })).toBe(0)
  rmSync(free, { recursive: true, force: true })
})

test('the preflight of a chain under a profile finds no fault in the build that made it', async () => {
  const other = mkdtempSync(join(tmpdir(), 'almanac-cli-profile-'))
  await (await startNode({ home: other, ports: false, chain: { accounts: 1, profile: 'nibiru' } })).stop()
  expect(await runCommand(['upgrade', 'preflight', '--home', other], { upgrades: [] })).toBe(0)
  await (await startNode({ home: other, ports: false })).stop()
  // The engine of a validator that has signed the first height of a chain without blocks would refuse to sign it again.
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => void printed.mockRestore())
  mkdirSync(join(other, 'engine/data'), { recursive: true })
  writeFileSync(join(other, 'engine/data/priv_validator_state.json'), '{"height":"1","round":0,"step":3}')
  expect(await runCommand(['upgrade', 'preflight', '--home', other], { upgrades: [] })).toBe(0)
  expect(printed.mock.calls.join('')).toContain('note: the validator has signed up to height 1')
  rmSync(other, { recursive: true, force: true })
})
