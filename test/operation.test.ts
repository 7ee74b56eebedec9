import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startNode } from '../src/index.ts'
import { childrenOf, startProcess } from './support/process.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-operation-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

test('with --log-format json a node logs its start and its stop, one JSON object a line', async () => {
  await using node = await startProcess(['--ephemeral', '--compute-workers', '0', '--log-format', 'json'])
  await node.kill('SIGTERM')
  const lines = node.stderr().trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'info', message: 'started', chain_id: 'almanac-localnet-1', height: '1' }),
    expect.objectContaining({ level: 'info', message: 'stopping', height: '1' }),
  ])
  expect(node.child.exitCode).toBe(0)
})

test('a node whose terminal hangs up stops cleanly, and removes its temporary folder', async () => {
  const folder = mkdtempSync(join(scratch, 'hang-up-'))
  const flags = ['--ephemeral', '--api-workers', '1', '--compute-workers', '0']
  await using node = await startProcess(flags, { environment: { TMPDIR: folder } })
  expect(readdirSync(folder)).toHaveLength(1)
  await node.kill('SIGHUP')
  expect(node.child.exitCode).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})

test.skipIf(!existsSync('/proc'))(
  'a signal while API workers start stops the node cleanly, and leaves nothing',
  async () => {
    const folder = mkdtempSync(join(scratch, 'interrupted-'))
    const program = resolve(import.meta.dirname, '../bin/almanac')
    const flags = ['--ephemeral', '--api-workers', '2', '--compute-workers', '0', '--port-offset', '21000']
    const child = spawn(process.execPath, [program, 'start', ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, TMPDIR: folder },
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const ended = new Promise((done) => child.once('close', (code, signal) => done(code ?? signal)))
    // A worker exists long before it listens.
    while (child.exitCode === null && childrenOf(child.pid!).length === 0) await new Promise(setImmediate)
    child.kill('SIGTERM')
    expect([await ended, stderr, readdirSync(folder)]).toEqual([0, '', []])
  },
)

test('a home that cannot be created ends the start with one line that names it', () => {
  const file = join(scratch, 'file')
  writeFileSync(file, 'no folder')
  const program = resolve(import.meta.dirname, '../bin/almanac')
  const run = () => execFileSync(process.execPath, [program, 'start', '--home', file], { stdio: 'pipe' })
  expect(run).toThrow(/almanac: E[A-Z]+: .*\/file/)
  expect(run).not.toThrow(/\n +at /)
})

test('a node that keeps few heights reports it', async () => {
  await using node = await startNode({ ports: false, store: { keep: 5 } })
  const { pruning_keep_recent, pruning_interval } = await node.query('/sdk/base/node/v1beta1/config')
  expect([pruning_keep_recent, pruning_interval]).toEqual(['5', '1'])
})
