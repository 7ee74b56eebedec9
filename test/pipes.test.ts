import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { startProcess } from './support/process.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-pipes-'))

test('after its output is closed a node continues and a command exits silently; slow readers get the whole output', async () => {
  const home = join(scratch, 'home')
  const node = await startProcess([
    '--home',
    home,
    '--accounts',
    '500',
    '--compute-workers',
    '0',
    '--log-level',
    'debug',
  ])
  node.child.stdout!.destroy()
  node.child.stderr!.destroy()
  // Logs its stop.
  await node.kill('SIGTERM')
  expect(await node.ended).toBe(0)

  const program = resolve(import.meta.dirname, '../bin/almanac')
  const piped = (reader: string) =>
    new Promise<string>((done) => {
      const command = `'${process.execPath}' '${program}' export --home '${home}' | ${reader}`
      execFile('sh', ['-c', command], (_, out, err) => done(out + err))
    })
  expect(await piped('head -c 1')).toBe('{')
  // More output than a pipe buffers, read late.
  const length = Number(await piped('(sleep 1; wc -c)'))
  expect(length).toBeGreaterThan(200_000)
  expect(Number(await piped('wc -c'))).toBe(length)
  expect(await piped('(sleep 1; tail -c 3)')).toBe('\n}\n')
  rmSync(scratch, { recursive: true })
})
