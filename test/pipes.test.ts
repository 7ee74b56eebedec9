import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { startProcess } from './process.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-pipes-'))

test('a node whose output nobody reads any more goes on, and a command ends without a word about it', async () => {
  const home = join(scratch, 'home')
  const node = await startProcess(['--home', home, '--accounts', '2', '--compute-workers', '0', '--log-level', 'debug'])
  node.child.stdout!.destroy()
  node.child.stderr!.destroy()
  // It logs that it stops.
  await node.kill('SIGTERM')
  expect(await node.ended).toBe(0)

  const program = resolve(import.meta.dirname, '../bin/almanac')
  const said = await new Promise<string>((done) => {
    execFile('sh', ['-c', `'${process.execPath}' '${program}' export --home '${home}' | head -c 1`], (_, out, err) =>
      done(out + err),
    )
  })
  expect(said).toBe('{')
  rmSync(scratch, { recursive: true })
})
