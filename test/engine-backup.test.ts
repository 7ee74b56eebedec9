/** Backups of a node whose blocks the real engine decides, made while it runs. Skipped without CometBFT. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { ENGINE, NO_ENGINE } from './network/processes.ts'
import { type NodeProcess, startProcess } from './support/process.ts'
import { rpc } from './support/rpc.ts'

if (!ENGINE) process.stderr.write(`test/engine-backup: ${NO_ENGINE}\n`)

const scratch = mkdtempSync(join(tmpdir(), 'almanac-engine-backup-'))
const home = join(scratch, 'home')
const folder = join(scratch, 'backups')
const program = resolve(import.meta.dirname, '../bin/almanac')
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const almanac = async (...args: readonly string[]) =>
  (await promisify(execFile)(process.execPath, [program, ...args])).stdout
/** Ports of the engine, different for processes that run at once. */
const port = 33_000 + (process.pid % 300) * 2
const FLAGS = [
  ...['--consensus', 'cometbft', '--engine', ENGINE ?? '', '--engine-rpc', `http://127.0.0.1:${port}`],
  ...['--p2p', `tcp://127.0.0.1:${port + 1}`, '--block-time', '200ms', '--insecure-keys'],
]
const BACKUPS = 4

const heightOf = async ({ config }: NodeProcess) => Number(await rpc(config, 'eth_blockNumber'))
async function untilHeight(node: NodeProcess, height: number): Promise<void> {
  while ((await heightOf(node)) < height) {
    if (node.child.exitCode !== null) throw new Error(node.stderr())
    await new Promise((done) => setTimeout(done, 50))
  }
}
const blockAt = (node: NodeProcess, height: number) =>
  rpc<{ hash: string; transactions: readonly unknown[] }>(node.config, 'eth_getBlockByNumber', [
    `0x${height.toString(16)}`,
    true,
  ])

test.skipIf(!ENGINE)(
  'each backup of a running node restores to a chain of the same blocks, which its engine continues',
  async () => {
    const heights: number[] = []
    const blocks = new Map<number, object>()
    {
      await using node = await startProcess(['--home', home, ...FLAGS])
      let isEnded = false
      const account = privateKeyToAccount(node.config.accounts[0]!.private_key)
      const wallet = createWalletClient({ account, transport: http(node.config.urls.jsonrpc) })
      const sending = (async () => {
        for (let nonce = 0; !isEnded; nonce++) {
          await wallet.sendTransaction({ to: account.address, value: 1n, gas: 21_000n, nonce, chain: null })
          await new Promise((done) => setTimeout(done, 20))
        }
      })()
      for (let i = 0; i < BACKUPS; i++) {
        if (i > 0) await untilHeight(node, heights.at(-1)! + 3)
        const printed = await almanac('backup', folder, '--home', home, '--keep', String(BACKUPS))
        heights.push(Number(/height (\d+)/.exec(printed)![1]))
      }
      expect(existsSync(join(home, 'backup-engine'))).toBe(false)
      isEnded = true
      await sending
      const last = heights.at(-1)!
      await untilHeight(node, last + 1)
      for (let height = 1; height <= last; height++) blocks.set(height, await blockAt(node, height))
      expect([...blocks.values()].some((block) => (block as { transactions: unknown[] }).transactions.length > 0)).toBe(
        true,
      )
      await node.kill('SIGKILL')
    }
    for (const height of heights) {
      const copy = join(scratch, `copy-${height}`)
      await almanac('restore', folder, '--home', copy, '--height', String(height))
      expect(readdirSync(join(copy, 'engine/data'))).toContain('priv_validator_state.json')
      await using restored = await startProcess(['--home', copy, ...FLAGS])
      for (let block = 1; block <= height; block++)
        expect(await blockAt(restored, block), `block ${block}`).toEqual(blocks.get(block))
      await untilHeight(restored, height + 5)
      await restored.kill('SIGTERM')
      expect(restored.child.exitCode).toBe(0)
    }
  },
  300_000,
)

test.skipIf(!ENGINE)(
  'an engine whose database is of another kind is copied while its node is stopped only',
  async () => {
    const other = join(scratch, 'other')
    await using node = await startProcess(['--home', other, ...FLAGS])
    const path = join(other, 'engine/config/config.toml')
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^db_backend = .*$/m, 'db_backend = "pebbledb"'))
    await expect(almanac('backup', join(scratch, 'b'), '--home', other)).rejects.toThrow(
      'db_backend is pebbledb, and only goleveldb can be copied while the node runs',
    )
    expect(node.child.exitCode).toBeNull()
  },
  120_000,
)
